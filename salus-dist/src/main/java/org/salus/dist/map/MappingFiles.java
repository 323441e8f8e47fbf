package org.salus.dist.map;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.salus.host.DurableFile;

/**
 * The files of mappings in a directory that a restart of the machine empties: one for each volume,
 * a lock for who changes them, and the sockets of the bridges. Not thread-safe.
 */
final class MappingFiles {
  private static final String END = ".map";

  private final Path dir;

  MappingFiles(Path dir) {
    this.dir = dir;
  }

  /** Waits until no other process changes mappings, and keeps others from it until it is closed. */
  FileChannel lock() throws IOException {
    if (!Files.isDirectory(dir)) {
      // Who can connect to a bridge's socket has the volume.
      Files.createDirectories(dir);
      Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwx------"));
    }
    FileChannel channel =
        FileChannel.open(dir.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    channel.lock(); // closing the channel gives it back
    return channel;
  }

  /** All mappings, by the names of their volumes. */
  List<Mapping> all() throws IOException {
    if (!Files.isDirectory(dir)) {
      return List.of();
    }
    if (!Files.isReadable(dir)) {
      throw new IOException("only root may read " + dir + ": use sudo");
    }
    List<Mapping> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(dir)) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(END)) {
          find(name.substring(0, name.length() - END.length())).ifPresent(all::add);
        }
      }
    }
    return all;
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

  void delete(Mapping m) throws IOException {
    Files.deleteIfExists(file(m.volume()));
  }

  private Path file(String volume) {
    return dir.resolve(volume + END);
  }

  /** The socket of a bridge that is started here. */
  Path socket(String volume) {
    return dir.resolve(volume + ".sock");
  }
}
