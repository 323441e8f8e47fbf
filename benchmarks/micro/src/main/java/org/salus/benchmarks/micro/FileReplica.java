package org.salus.benchmarks.micro;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.salus.core.log.LogReader;

/** A file read as a DataNode's block file is. */
final class FileReplica implements LogReader.Source, AutoCloseable {
  private final FileChannel channel;

  FileReplica(Path file) throws IOException {
    channel = FileChannel.open(file, StandardOpenOption.READ);
  }

  @Override
  public boolean read(long position, ByteBuffer into) {
    try {
      return channel.read(into, position) > 0 && !into.hasRemaining();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
