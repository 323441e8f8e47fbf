package org.salus.dist.install;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files on disk: each step is durable when it returns. */
final class Disk {
  private static final String USUAL_MODE = "rw-r--r--";

  /** The mode of a file that is being written: others may not look, and its owner may write. */
  private static final Set<PosixFilePermission> OWNERS =
      PosixFilePermissions.fromString("rw-------");

  private Disk() {}

  /** Where a file is written before it gets its name. No JVM takes it for a jar. */
  static Path staged(Path target) {
    return target.resolveSibling("." + target.getFileName() + ".salus-staged");
  }

  /** Where the old file is until all is done. */
  static Path aside(Path target) {
    return target.resolveSibling("." + target.getFileName() + ".salus-before");
  }

  static boolean isThere(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  /** The hash of a file's content; empty if it is not there. */
  static String hash(Path file) throws IOException {
    return Files.exists(file) ? Jars.hash(file) : "";
  }

  /** Writes what a change puts, beside its target, and a copy of what is there. */
  static void stage(Change change) throws IOException {
    if (change instanceof Change.Delete) {
      return;
    }
    if (isThere(change.target())) {
      Path aside = aside(change.target());
      copy(change.target(), aside);
      sync(aside);
    }
    Path staged = staged(change.target());
    if (change instanceof Change.Write w) {
      if (w.like() == null) {
        Files.deleteIfExists(staged);
        Files.createFile(staged);
        likeDirectory(staged);
      } else {
        copy(w.like(), staged);
        requireSameOwner(w.like(), staged);
      }
      Set<PosixFilePermission> mode = Files.getPosixFilePermissions(staged);
      Files.setPosixFilePermissions(staged, OWNERS);
      write(staged, w.content());
      Files.setPosixFilePermissions(staged, mode);
      sync(staged);
    } else if (change instanceof Change.Copy c) {
      Files.copy(c.source(), staged, StandardCopyOption.REPLACE_EXISTING);
      likeDirectory(staged);
      sync(staged);
    }
    sync(staged.getParent());
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.copy(
        from,
        to,
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.COPY_ATTRIBUTES,
        LinkOption.NOFOLLOW_LINKS);
  }

  private static void write(Path file, byte[] content) throws IOException {
    try (FileChannel to =
        FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer all = ByteBuffer.wrap(content);
      while (all.hasRemaining()) {
        to.write(all);
      }
    }
  }

  /** Gives a new file the owner of its directory, where this user may, and the usual mode. */
  private static void likeDirectory(Path file) throws IOException {
    if (!Files.isDirectory(file)) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(USUAL_MODE));
    }
    PosixFileAttributes dir = attributes(file.getParent());
    PosixFileAttributes now = attributes(file);
    if (!now.owner().equals(dir.owner()) || !now.group().equals(dir.group())) {
      try {
        PosixFileAttributeView view =
            Files.getFileAttributeView(file, PosixFileAttributeView.class);
        view.setOwner(dir.owner());
        view.setGroup(dir.group());
      } catch (FileSystemException notRoot) {
        return; // it can be read all the same
      }
    }
  }

  private static void requireSameOwner(Path file, Path copy) throws IOException {
    PosixFileAttributes was = attributes(file);
    PosixFileAttributes is = attributes(copy);
    if (!was.owner().equals(is.owner()) || !was.group().equals(is.group())) {
      throw new IOException(
          file
              + " belongs to "
              + was.owner().getName()
              + ":"
              + was.group().getName()
              + ", and would not any more: run this as that user, or as root");
    }
  }

  private static PosixFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  /** Gives the staged file its name. */
  static void unveil(Path target) throws IOException {
    move(staged(target), target);
  }

  /** Takes a file away so that {@link #putBack} can put it back. */
  static void moveAside(Path target) throws IOException {
    move(target, aside(target));
  }

  /** Gives the old file its name again. */
  static void putBack(Path target) throws IOException {
    move(aside(target), target);
  }

  private static void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    sync(to.getParent());
  }

  /** Copies a file that others have changed into a directory. Returns the copy. */
  static Path keep(Path file, Path dir) throws IOException {
    String name = file.getFileName() + ".of-others";
    Path kept = dir.resolve(name);
    for (int i = 2; isThere(kept); i++) {
      kept = dir.resolve(name + "-" + i);
    }
    Files.copy(file, kept, StandardCopyOption.COPY_ATTRIBUTES);
    sync(kept);
    sync(dir);
    return kept;
  }

  /** Deletes a file if it is there. */
  static void delete(Path file) throws IOException {
    if (Files.deleteIfExists(file)) {
      sync(file.getParent());
    }
  }

  /** Makes a directory like the one above it. */
  static void makeDirectory(Path dir) throws IOException {
    Files.createDirectory(dir);
    likeDirectory(dir);
    sync(dir.getParent());
  }

  private static void sync(Path path) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      file.force(true);
    }
  }

  /** Checks that this user may make and delete files in a directory. */
  static void requireWritable(Path dir) throws IOException {
    if (!Files.isWritable(dir)) {
      throw new IOException(
          "you may not write to "
              + dir
              + ", which belongs to "
              + Files.getOwner(dir).getName()
              + ": run this as that user, or make it writable");
    }
  }

  /** The words of a failure, whose message may be only the name of a file. */
  static String words(IOException failed) {
    return failed instanceof AccessDeniedException
        ? failed.getMessage() + ": permission denied"
        : failed.getMessage() == null ? failed.toString() : failed.getMessage();
  }
}
