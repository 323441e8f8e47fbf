package org.salus.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.salus.datanode.ReplicaReader;

/** A file read as a DataNode's block file is. */
final class FileReplica implements ReplicaReader {
  private final FileChannel channel;

  FileReplica(Path file) throws IOException {
    channel = FileChannel.open(file, StandardOpenOption.READ);
  }

  @Override
  public int read(ByteBuffer into, long position) throws IOException {
    return channel.read(into, position);
  }

  @Override
  public long length() throws IOException {
    return channel.size();
  }

  @Override
  public boolean local() {
    return true;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
