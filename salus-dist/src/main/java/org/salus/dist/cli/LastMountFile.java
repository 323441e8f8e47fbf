package org.salus.dist.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.salus.client.LastMount;
import org.salus.host.DurableFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the last mount of a bridge in a file: the volume's id and the number of the mount. */
final class LastMountFile implements LastMount {
  private static final Logger LOG = LoggerFactory.getLogger(LastMountFile.class);

  private final Path file;
  private volatile Mount last;

  /**
   * @throws IOException when the file is there and cannot be read
   */
  LastMountFile(Path file) throws IOException {
    this.file = file;
    this.last = read(file);
  }

  private static Mount read(Path file) throws IOException {
    String text;
    try {
      text = Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException none) {
      Path dir = file.toAbsolutePath().getParent();
      if (!Files.isDirectory(dir)) {
        throw new IOException("there is no directory " + dir + " for " + file, none);
      }
      return null;
    } catch (IOException failed) {
      throw new IOException("cannot read " + file + ": " + failed.getMessage(), failed);
    }
    try {
      String[] words = text.strip().split(" ");
      return new Mount(Long.parseUnsignedLong(words[0], 16), Long.parseLong(words[1]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException damaged) {
      throw new IOException(
          file + " is damaged; delete it if no client of the bridge holds anything", damaged);
    }
  }

  @Override
  public Optional<Mount> find() {
    return Optional.ofNullable(last);
  }

  @Override
  public void keep(Mount mount) {
    last = mount;
    try {
      DurableFile.write(
          file,
          String.format("%016x %d\n", mount.volume(), mount.epoch())
              .getBytes(StandardCharsets.US_ASCII));
    } catch (IOException failed) {
      LOG.warn("cannot write {}; the next bridge may refuse the volume", file, failed);
    }
  }
}
