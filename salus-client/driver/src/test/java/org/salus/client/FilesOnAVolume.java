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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.lucene.tests.mockfile.FilterFileSystemProvider;
import org.salus.client.nio.VolumeChannel;

/**
 * A file system whose names and lengths are another one's, and whose bytes are in windows of a
 * volume. The files below it have zeros only.
 */
final class FilesOnAVolume extends FilterFileSystemProvider {
  private final Volume volume;
  private final long most;

  /** Where the windows of files begin, by their paths. */
  private final Map<Path, Long> windows = new HashMap<>();

  private final Deque<Long> free = new ArrayDeque<>();

  /**
   * @param below has the names and lengths
   * @param most bytes of a file, at most
   */
  FilesOnAVolume(FileSystem below, Volume volume, long most) {
    super("volume://", below);
    this.volume = volume;
    this.most = most;
    // The first one lies across blocks.
    for (long begin = 100; begin + most <= volume.size(); begin += most) {
      free.add(begin);
    }
  }

  private synchronized long window(Path below) throws IOException {
    Path key = below.toAbsolutePath();
    Long known = windows.get(key);
    if (known == null) {
      known = free.poll();
      if (known == null) {
        throw new IOException("the volume has no window for " + below);
      }
      windows.put(key, known);
    }
    return known;
  }

  private synchronized void forget(Path below) {
    Long window = windows.remove(below.toAbsolutePath());
    if (window != null) {
      free.add(window);
    }
  }

  private VolumeChannel channel(Path below, long size) throws IOException {
    return new VolumeChannel(volume, window(below), size);
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
    return channel(below, Files.size(below));
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
    VolumeChannel channel = channel(below, most);
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
    forget(toDelegate(path));
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    forget(toDelegate(path));
    return super.deleteIfExists(path);
  }

  @Override
  public void move(Path source, Path target, CopyOption... options) throws IOException {
    super.move(source, target, options);
    synchronized (this) {
      forget(toDelegate(target));
      Long window = windows.remove(toDelegate(source).toAbsolutePath());
      if (window != null) {
        windows.put(toDelegate(target).toAbsolutePath(), window);
      }
    }
  }
}
