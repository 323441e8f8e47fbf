package org.salus.host.netty;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** A frame to send. The sending thread computes the checksums, not the loop. Immutable. */
final class OutboundFrame {
  static final int HEADER = 16;
  private static final int CHECKED = 12;

  final ByteBuffer header = ByteBuffer.allocate(HEADER);
  final ByteBuffer head;
  final ByteBuffer payload;
  private final Runnable whenWritten;

  OutboundFrame(ByteBuffer head, ByteBuffer payloadOrNull, Runnable whenWritten) {
    this.head = head.duplicate();
    this.payload = payloadOrNull == null ? ByteBuffer.allocate(0) : payloadOrNull.duplicate();
    this.whenWritten = whenWritten;
    CRC32C body = new CRC32C();
    body.update(this.head.duplicate());
    body.update(this.payload.duplicate());
    header
        .putInt(Math.addExact(this.head.remaining(), this.payload.remaining()))
        .putInt(this.head.remaining());
    header.putInt((int) body.getValue());
    header.putInt(headerCrc(header.array()));
    header.flip();
  }

  static int headerCrc(byte[] header) {
    CRC32C crc = new CRC32C();
    crc.update(header, 0, CHECKED);
    return (int) crc.getValue();
  }

  int bodyBytes() {
    return head.remaining() + payload.remaining();
  }

  /** Gives the buffers back to the sender: they were written, or never will be. */
  void release() {
    if (whenWritten != null) {
      whenWritten.run();
    }
  }
}
