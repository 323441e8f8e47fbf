package org.salus.client;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.CopyOption;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;
import org.apache.lucene.tests.mockfile.FilterFileSystemProvider;
import org.salus.client.nio.VolumeChannel;

/**
 * A file system whose names and lengths are another one's, and whose bytes are in windows of a
 * volume. The files below it have zeros only.
 */
final class FilesOnAVolume extends FilterFileSystemProvider {
  private final WindowsOfFiles windows;

  /**
   * @param below has the names and lengths
   */
  FilesOnAVolume(FileSystem below, WindowsOfFiles windows) {
    super("volume://", below);
    this.windows = windows;
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    Path below = toDelegate(path);
    if (Files.isDirectory(below)) {
      return super.newFileChannel(path, options, attributes);
    }
    super.newFileChannel(path, options, attributes).close(); // it fails, or makes it
    return windows.open(below, Files.size(below));
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public OutputStream newOutputStream(Path path, OpenOption... options) throws IOException {
    super.newOutputStream(path, options).close();
    Path below = toDelegate(path);
    VolumeChannel channel = windows.open(below, windows.longest());
    return new FilterOutputStream(Channels.newOutputStream(channel)) {
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
      }

      @Override
      public void close() throws IOException {
        if (channel.isOpen()) {
          try (RandomAccessFile file = new RandomAccessFile(below.toFile(), "rw")) {
            file.setLength(channel.position());
          }
        }
        super.close();
      }
    };
  }

  @Override
  public void delete(Path path) throws IOException {
    super.delete(path);
    windows.forget(toDelegate(path));
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    windows.forget(toDelegate(path));
    return super.deleteIfExists(path);
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    super.move(source, target, options);
    windows.move(toDelegate(source), toDelegate(target));
  }
}
