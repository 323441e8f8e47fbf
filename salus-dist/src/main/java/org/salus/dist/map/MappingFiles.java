package org.salus.dist.map;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.salus.host.DurableFile;

/**
 * The files of mappings in a directory that a restart of the machine empties: one for each volume,
 * locks for who changes them, and sockets. Thread-safe.
 */
final class MappingFiles {
  private static final String END = ".map";

  /** The locks of this process. The kernel's do not tell its threads apart. */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path dir;

  MappingFiles(Path dir) {
    this.dir = dir;
  }

  /** A lock; to be closed. */
  record Lock(Path file, FileChannel channel) implements Closeable {
    @Override
    public void close() throws IOException {
      channel.close(); // first: another channel on the file would give up this one's lock
      HELD.remove(file);
    }
  }

  /** Keeps others from changing a volume's mapping; empty while somebody else does it. */
  Optional<Lock> lock(String volume) throws IOException {
    return lockFile(volume + ".lock");
  }

  /** Keeps others from attaching a device; empty while somebody else does it. */
  Optional<Lock> lockDevice(String device) throws IOException {
    return lockFile(device + ".device");
  }

  private Optional<Lock> lockFile(String name) throws IOException {
    make();
    Path file = dir.resolve(name);
    if (!HELD.add(file)) {
      return Optional.empty();
    }
    FileChannel channel = null;
    boolean locked = false;
    try {
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      locked = channel.tryLock() != null;
      return locked ? Optional.of(new Lock(file, channel)) : Optional.empty();
    } finally {
      if (!locked) {
        if (channel != null) {
          channel.close();
        }
        HELD.remove(file);
      }
    }
  }

  /** Who can connect to a bridge's socket has the volume. */
  private void make() throws IOException {
    if (!Files.exists(dir)) {
      if (dir.getParent() != null) {
        Files.createDirectories(dir.getParent());
      }
      try {
        Files.createDirectory(
            dir,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      } catch (FileAlreadyExistsException byAnotherCommand) {
        return;
      }
    }
    requireOwn();
  }

  /** Whoever may write to the directory could have mappings believed that are none. */
  private void requireOwn() throws IOException {
    if (!Files.isDirectory(dir)) {
      throw new IOException(dir + " is no directory; use another --run-dir");
    }
    if (!Files.getAttribute(dir, "unix:uid")
        .equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
      throw new IOException(dir + " belongs to somebody else; use another --run-dir");
    }
    Set<PosixFilePermission> modes = Files.getPosixFilePermissions(dir);
    if (modes.contains(PosixFilePermission.GROUP_WRITE)
        || modes.contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new IOException(
          "others may write to " + dir + "; use another --run-dir, or 'chmod go-w' it");
    }
  }

  /** The volumes that have a mapping, by name. */
  List<String> volumes() throws IOException {
    if (!Files.exists(dir)) {
      return List.of();
    }
    if (!Files.isReadable(dir)) {
      throw new IOException("only root may read " + dir + ": use sudo");
    }
    requireOwn();
    try (Stream<Path> files = Files.list(dir)) {
      return files
          .map(f -> f.getFileName().toString())
          .filter(name -> name.endsWith(END))
          .map(name -> name.substring(0, name.length() - END.length()))
          .sorted()
          .toList();
    }
  }

  Optional<Mapping> find(String volume) throws IOException {
    Path file = file(volume);
    try {
      return Optional.of(Mapping.of(volume, Files.readString(file)));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    } catch (IOException damaged) {
      throw new IOException(
          "cannot read "
              + file
              + ": "
              + damaged.getMessage()
              + "; see that nothing of "
              + volume
              + " runs, and delete it",
          damaged);
    }
  }

  void write(Mapping m) throws IOException {
    DurableFile.write(file(m.volume()), m.text().getBytes(StandardCharsets.UTF_8));
  }

  /** Removes all that there is of a mapping whose programs have ended; its file last. */
  void delete(Mapping m) throws IOException {
    Files.deleteIfExists(programSocket(m.device()));
    forgetLastMount(m.volume());
    Files.deleteIfExists(file(m.volume()));
  }

  /** A new device holds nothing of what was before. */
  void forgetLastMount(String volume) throws IOException {
    Files.deleteIfExists(lastMount(volume));
    Files.deleteIfExists(dir.resolve(volume + ".mount.held")); // its bridge has ended
  }

  /** Notes that somebody wants a volume unmapped, so that nobody maps it again unasked. */
  void leaveUnmapped(String volume) throws IOException {
    Files.writeString(unmapped(volume), "");
  }

  boolean isLeftUnmapped(String volume) {
    return Files.exists(unmapped(volume));
  }

  /** Somebody wants the volume mapped. */
  void forgetUnmapped(String volume) throws IOException {
    try {
      Files.deleteIfExists(unmapped(volume));
    } catch (AccessDeniedException others) {
      throw new IOException("only root may write to " + dir + ": use sudo", others);
    }
  }

  private Path unmapped(String volume) {
    return dir.resolve(volume + ".unmapped");
  }

  private Path file(String volume) {
    return dir.resolve(volume + END);
  }

  /**
   * A socket for a bridge that is started here. No other mapping ever has it: a program that is
   * left of an earlier one must not find this one's bridge.
   */
  Path newSocket(String volume) {
    return dir.resolve(volume + "." + UUID.randomUUID().toString().substring(0, 8) + ".sock");
  }

  /** The socket of the program that attaches a device. */
  Path programSocket(String device) {
    return dir.resolve(device + ".qemu");
  }

  /** Where the bridge that is started here keeps its last mount. */
  Path lastMount(String volume) {
    return dir.resolve(volume + ".mount");
  }
}
