package org.salus.dist.install;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.salus.host.DurableFile;

/** Files on disk: each step is durable when it returns. */
final class Disk {
  /** Follows the name of a file that is not as it was planned for. */
  static final String CHANGED = " was changed by somebody else while this was at work";

  private static final int ROOT = 0;
  private static final Set<PosixFilePermission> USUAL_MODE =
      PosixFilePermissions.fromString("rw-r--r--");
  private static final Set<PosixFilePermission> DIRECTORY_MODE =
      PosixFilePermissions.fromString("rwxr-xr-x");

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

  /**
   * Whether there is a file, or a link of this name.
   *
   * @throws IOException when this user may not look
   */
  static boolean isThere(Path file) throws IOException {
    try {
      attributes(file);
      return true;
    } catch (NoSuchFileException none) {
      return false;
    } catch (AccessDeniedException refused) {
      throw new IOException(words(refused) + ": run this as the owner of its directory", refused);
    }
  }

  /** The hash of a file's content; empty if it is not there. */
  static String hash(Path file) throws IOException {
    try {
      return Jars.hash(file);
    } catch (NoSuchFileException none) {
      if (isThere(file)) {
        throw new IOException(file + " is a link to a file that is gone: delete it", none);
      }
      return "";
    }
  }

  /** Checks that a file is still as it was when its change was planned. */
  static void requireSame(Path file, String before) throws IOException {
    if (!hash(file).equals(before)) {
      throw new IOException(file + CHANGED + ": run it again");
    }
  }

  /** Writes what a change puts, beside its target, and a copy of what is there. */
  static void stage(Change change) throws IOException {
    requireSame(change.target(), change.before());
    if (change instanceof Change.Delete) {
      return;
    }
    if (isThere(change.target())) {
      Path aside = aside(change.target());
      copy(change.target(), aside);
      DurableFile.sync(aside);
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
      Set<PosixFilePermission> mode = attributes(staged).permissions();
      view(staged).setPermissions(OWNERS);
      write(staged, w.content());
      view(staged).setPermissions(mode);
      DurableFile.sync(staged);
    } else if (change instanceof Change.Copy c) {
      Files.copy(c.source(), staged, StandardCopyOption.REPLACE_EXISTING);
      likeDirectory(staged);
      DurableFile.sync(staged);
    }
    DurableFile.sync(staged.getParent());
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
        FileChannel.open(
            file,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING,
            LinkOption.NOFOLLOW_LINKS)) {
      ByteBuffer all = ByteBuffer.wrap(content);
      while (all.hasRemaining()) {
        to.write(all);
      }
    }
  }

  /** Gives a new file the owner of its directory, where this user may, and the usual mode. */
  private static void likeDirectory(Path file) throws IOException {
    view(file).setPermissions(USUAL_MODE);
    PosixFileAttributes dir = attributes(file.getParent());
    PosixFileAttributes now = attributes(file);
    if (!now.owner().equals(dir.owner()) || !now.group().equals(dir.group())) {
      try {
        view(file).setOwner(dir.owner());
        view(file).setGroup(dir.group());
      } catch (FileSystemException notRoot) {
        return; // it can be read all the same
      }
    }
  }

  /** Nobody can put a link in the place of the file meanwhile. */
  private static PosixFileAttributeView view(Path file) {
    return Files.getFileAttributeView(
        file, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
  }

  private static void requireSameOwner(Path file, Path copy) throws IOException {
    PosixFileAttributes was = attributes(file);
    PosixFileAttributes is = attributes(copy);
    if (!was.owner().equals(is.owner()) || !was.group().equals(is.group())) {
      throw wouldNotKeepOwner(file, was);
    }
  }

  /** The same, as far as it can be known before. */
  static void requireKeptOwner(Path file) throws IOException {
    int me = me();
    if (me != ROOT && me != uid(file)) {
      throw wouldNotKeepOwner(file, attributes(file));
    }
  }

  private static IOException wouldNotKeepOwner(Path file, PosixFileAttributes was) {
    return new IOException(
        file
            + " belongs to "
            + was.owner().getName()
            + ":"
            + was.group().getName()
            + ", and would not any more: run this as that user, or as root");
  }

  private static int me() throws IOException {
    return uid(Path.of("/proc/self"));
  }

  private static int uid(Path file) throws IOException {
    return (int) Files.getAttribute(file, "unix:uid");
  }

  /**
   * Checks that nobody can make root change files by what is in a directory.
   *
   * @throws IOException when this is run by root, and others can write there
   */
  static void requireOwn(Path dir) throws IOException {
    PosixFileAttributes is = attributes(dir);
    boolean isOthers =
        !is.isDirectory()
            || uid(dir) != ROOT
            || is.permissions().contains(PosixFilePermission.GROUP_WRITE)
            || is.permissions().contains(PosixFilePermission.OTHERS_WRITE);
    if (me() == ROOT && isOthers) {
      throw new IOException(
          dir
              + " belongs to "
              + is.owner().getName()
              + ", and others than root may write there, who could make root change any file: run"
              + " this as that user, or give it to root with mode 755");
    }
  }

  private static PosixFileAttributes attributes(Path file) throws IOException {
    return Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }

  /** Gives the staged file its name. */
  static void unveil(Path target) throws IOException {
    DurableFile.rename(staged(target), target);
  }

  /** Takes a file away so that {@link #putBack} can put it back. */
  static void moveAside(Path target) throws IOException {
    DurableFile.rename(target, aside(target));
  }

  /** Gives the old file its name again. */
  static void putBack(Path target) throws IOException {
    DurableFile.rename(aside(target), target);
  }

  /** Copies the old content of a file into a directory. Returns the copy. */
  static Path keep(Path aside, Path dir) throws IOException {
    String name = aside.getFileName().toString().substring(1);
    Path kept = dir.resolve(name);
    for (int i = 2; isThere(kept); i++) {
      kept = dir.resolve(name + "-" + i);
    }
    Files.copy(aside, kept, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
    DurableFile.sync(kept);
    DurableFile.sync(dir);
    return kept;
  }

  /** Deletes a file if it is there. */
  static void delete(Path file) throws IOException {
    if (Files.deleteIfExists(file)) {
      DurableFile.sync(file.getParent());
    }
  }

  /** Makes a directory of this user in which all may look. */
  static void makeDirectory(Path dir) throws IOException {
    Files.createDirectory(dir);
    view(dir).setPermissions(DIRECTORY_MODE);
    DurableFile.sync(dir.getParent());
  }

  /** Checks that this user may make and delete files in a directory, and make it if need be. */
  static void requireWritable(Path dir) throws IOException {
    Path there = dir;
    while (!Files.isDirectory(there)) {
      there = there.getParent();
    }
    if (!Files.isWritable(there)) {
      throw new IOException(
          "you may not write to "
              + there
              + ", which belongs to "
              + Files.getOwner(there).getName()
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
