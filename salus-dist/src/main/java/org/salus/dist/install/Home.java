package org.salus.dist.install;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.salus.dist.need.NeededJars;

/**
 * A Hadoop or HBase in a directory. Immutable.
 *
 * @param product what it is
 * @param root its directory
 * @param jars where jars of Salus go
 * @param site its file of settings, not a link to it
 */
public record Home(Product product, Path root, Path jars, Path site) {
  private static final int OLDEST_JAVA = 17;
  private static final Pattern JAVA_HOME =
      Pattern.compile("(?m)^\\s*(?:export\\s+)?JAVA_HOME=[\"']?([^\"'\\s#$]+)");
  private static final Pattern RELEASE = Pattern.compile("JAVA_VERSION=\"(?:1\\.)?(\\d+)");

  /**
   * Finds out where its parts are, and whether Salus works with it.
   *
   * @param conf the directory of its settings; null for the usual one
   * @throws IOException when it is none that Salus can be put into; the message says what to do
   */
  public static Home find(Product product, Path root, Path conf) throws IOException {
    Path dir = root.toAbsolutePath().normalize();
    Path place = place(product, dir);
    String version = NeededJars.version(names(place), product.artifact()).orElseThrow();
    if (!product.isSupported(version)) {
      throw new IOException(
          dir
              + " has "
              + product.words()
              + " "
              + version
              + ", and Salus works with "
              + product.supportedWords());
    }
    Path lib = place.resolve("lib");
    Path confDir = conf == null ? dir.resolve(product.conf()) : conf.toAbsolutePath().normalize();
    Path site = confDir.resolve(product.site());
    if (!Files.isReadable(site)) {
      throw new IOException(
          (Files.exists(site) ? "cannot read " + site : "there is no " + site)
              + "; say where the settings are with "
              + product.option()
              + "-conf DIR");
    }
    requireJava(product, confDir.resolve(product.environment()));
    return new Home(product, dir, Files.isDirectory(lib) ? lib : place, site.toRealPath());
  }

  /** The place of this directory for who takes out what is installed there, whatever it is. */
  public static Home installed(Product product, Path root) throws IOException {
    Path dir = root.toAbsolutePath().normalize();
    if (!Files.isDirectory(dir)) {
      throw new IOException("there is no directory " + dir);
    }
    Home unknown = new Home(product, dir, dir, dir.resolve(product.site()));
    return Manifest.read(unknown)
        .map(m -> new Home(product, dir, m.jarsDir(), m.site()))
        .orElse(unknown);
  }

  private static Path place(Product product, Path dir) throws IOException {
    for (String sub : product.places()) {
      Path place = dir.resolve(sub).normalize();
      if (NeededJars.version(names(place), product.artifact()).isPresent()) {
        return place;
      }
    }
    throw new IOException(
        (Files.isDirectory(dir)
                ? dir
                    + " has no "
                    + product.artifact()
                    + "-VERSION.jar in any of "
                    + product.places()
                : "there is no directory " + dir)
            + "; give the directory of an unpacked "
            + product.words()
            + " with "
            + product.option());
  }

  private static void requireJava(Product product, Path script) throws IOException {
    if (!Files.isReadable(script)) {
      return;
    }
    Matcher home = JAVA_HOME.matcher(Files.readString(script, StandardCharsets.ISO_8859_1));
    Optional<Integer> java = Optional.empty();
    while (home.find()) { // the last one counts
      java = java(home.group(1));
    }
    if (java.isPresent() && java.get() < OLDEST_JAVA) {
      throw new IOException(
          script
              + " starts "
              + product.words()
              + " with Java "
              + java.get()
              + ", and Salus needs 17 or later: set JAVA_HOME there to one");
    }
  }

  /** The version of a Java; empty if it is not known. */
  private static Optional<Integer> java(String home) throws IOException {
    Path release;
    try {
      release = Path.of(home, "release");
    } catch (IllegalArgumentException nonsense) {
      return Optional.empty();
    }
    if (!Files.isReadable(release)) {
      return Optional.empty();
    }
    Matcher version = RELEASE.matcher(Files.readString(release, StandardCharsets.ISO_8859_1));
    return version.find() ? Optional.of(Integer.parseInt(version.group(1))) : Optional.empty();
  }

  /** The jars on the class path of its daemons, by their names. */
  Map<String, Path> classPath() throws IOException {
    Path place = jars.endsWith("lib") && product == Product.HADOOP ? jars.getParent() : jars;
    List<Path> dirs = new ArrayList<>(List.of(place, place.resolve("lib")));
    if (product == Product.HADOOP) {
      // An unpacked Hadoop, and packages of Linux.
      for (String beside : List.of("common", "hadoop")) {
        dirs.add(place.resolveSibling(beside));
        dirs.add(place.resolveSibling(beside).resolve("lib"));
      }
    } else {
      dirs.add(place.resolve("client-facing-thirdparty"));
    }
    Map<String, Path> all = new TreeMap<>();
    for (Path dir : dirs) {
      for (String name : names(dir)) {
        all.putIfAbsent(name, dir.resolve(name));
      }
    }
    return all;
  }

  private static List<String> names(Path dir) throws IOException {
    if (!Files.isDirectory(dir)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(dir)) {
      return files
          .map(f -> f.getFileName().toString())
          .filter(n -> n.endsWith(".jar"))
          .sorted()
          .toList();
    }
  }

  /** Where it is noted what was installed. */
  Path state() {
    return root.resolve("salus-installed").resolve(product.option().substring(2));
  }

  Path manifest() {
    return state().resolve("manifest");
  }

  Path journal() {
    return state().resolve("journal");
  }
}
