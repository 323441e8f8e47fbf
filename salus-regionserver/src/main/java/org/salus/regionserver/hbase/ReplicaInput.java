package org.salus.regionserver.hbase;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.fs.Seekable;
import org.salus.datanode.ReplicaReader;

/** A replica as the kind of stream that HBase reads files from. Reads at a position may come from many threads. */
final class ReplicaInput extends InputStream implements Seekable, PositionedReadable {
  private final ReplicaReader replica;
  private long position;

  private ReplicaInput(ReplicaReader replica) {
    this.replica = replica;
  }

  static FSDataInputStream stream(ReplicaReader replica) {
    return new FSDataInputStream(new ReplicaInput(replica));
  }

  @Override
  public int read(long at, byte[] into, int offset, int length) throws IOException {
    return replica.read(ByteBuffer.wrap(into, offset, length), at);
  }

  @Override
  public void readFully(long at, byte[] into, int offset, int length) throws IOException {
    for (int done = 0; done < length;) {
      int n = read(at + done, into, offset + done, length - done);
      if (n <= 0) {
        throw new EOFException("end of the replica at " + (at + done));
      }
      done += n;
    }
  }

  @Override
  public void readFully(long at, byte[] into) throws IOException {
    readFully(at, into, 0, into.length);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int n = read(position, into, offset, length);
    position += Math.max(0, n);
    return n;
  }

  @Override
  public void seek(long to) {
    position = to;
  }

  @Override
  public long getPos() {
    return position;
  }

  @Override
  public boolean seekToNewSource(long to) {
    return false;
  }
}
