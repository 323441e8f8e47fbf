package org.salus.dist.system;

import java.nio.ByteBuffer;
import org.salus.client.Volume;

/** Reads of volumes that tests wait for. */
final class Reads {
  private Reads() {}

  static byte[] read(Volume v, long offset, int length) {
    ByteBuffer into = ByteBuffer.allocateDirect(length);
    v.read(offset, into).join();
    byte[] bytes = new byte[length];
    into.get(0, bytes);
    return bytes;
  }
}
