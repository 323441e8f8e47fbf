package org.salus.dist.install;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.salus.dist.need.NeededJars;

/** The jars that this program has, and can give. Immutable. */
public final class Jars {
  private static final int BUFFER = 1 << 16;

  private final List<Path> all;

  /**
   * @param all jars and directories, as on a class path
   */
  public Jars(List<Path> all) {
    this.all = List.copyOf(all);
  }

  /**
   * The jar of an artifact.
   *
   * @throws IOException when this program has none
   */
  Path of(String artifact) throws IOException {
    for (Path jar : all) {
      if (version(jar, artifact).isPresent()) {
        return jar;
      }
    }
    throw new IOException(
        "this program has no jar " + artifact + ": run bin/salus of the unpacked tarball");
  }

  /** The version of Salus. */
  String salus() throws IOException {
    return version(of(NeededJars.SALUS), NeededJars.SALUS).orElseThrow();
  }

  private static Optional<String> version(Path jar, String artifact) {
    Path name = jar.getFileName();
    return name == null ? Optional.empty() : NeededJars.version(List.of(name.toString()), artifact);
  }

  /** Whether a file's name is that of a jar of Salus. */
  static boolean isOfSalus(String name) {
    return Stream.concat(Product.HADOOP.jars().stream(), Product.HBASE.jars().stream())
        .anyMatch(artifact -> NeededJars.version(List.of(name), artifact).isPresent());
  }

  /** A sentence about one that is not as it was installed. */
  static String stays(Path file) {
    return file + " was changed since it was installed: it stays, delete it yourself";
  }

  /** The SHA-256 of a file's content, in hexadecimal digits. */
  static String hash(Path file) throws IOException {
    try (var in = Files.newInputStream(file)) {
      return hash(in);
    }
  }

  /** The same of bytes. */
  static String hash(byte[] content) throws IOException {
    return hash(new ByteArrayInputStream(content));
  }

  private static String hash(InputStream in) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
    byte[] buffer = new byte[BUFFER];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      digest.update(buffer, 0, n);
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
