package org.salus.host.netty;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Cuts a byte stream into frames. Each frame's head and payload go straight into buffers of their
 * own, so nothing is accumulated and every byte is copied once. Not thread-safe.
 */
final class FrameReader {
  /** Says why the stream cannot be read any further. */
  static final class BadFrameException extends Exception {
    final boolean wrongLength;

    BadFrameException(boolean wrongLength, String message) {
      super(message, null, false, false);
      this.wrongLength = wrongLength;
    }
  }

  private final int maxFrame;
  private final ByteBuffer header = ByteBuffer.allocate(OutboundFrame.HEADER);
  private ByteBuffer head;
  private ByteBuffer payload;
  private int expectedCrc;

  FrameReader(int maxFrame) {
    this.maxFrame = maxFrame;
  }

  /**
   * Takes bytes from {@code in}. Returns whether a frame is complete; then {@link #head} and {@link
   * #payload} hold it.
   */
  boolean read(ByteBuf in) throws BadFrameException {
    if (head == null) {
      fill(header, in);
      if (header.hasRemaining()) {
        return false;
      }
      startFrame();
    }
    fill(head, in);
    fill(payload, in);
    if (head.hasRemaining() || payload.hasRemaining()) {
      return false;
    }
    checkBody();
    return true;
  }

  ByteBuffer head() {
    return head;
  }

  ByteBuffer payload() {
    return payload;
  }

  /** Forgets the finished frame; its buffers belong to the receiver now. */
  void next() {
    head = null;
    payload = null;
    header.clear();
  }

  private void startFrame() throws BadFrameException {
    int total = header.getInt(0);
    int headLength = header.getInt(4);
    if (total < 0 || total > maxFrame || headLength < 0 || headLength > total) {
      throw new BadFrameException(
          true,
          "wrong length: total "
              + Integer.toUnsignedString(total)
              + ", head "
              + Integer.toUnsignedString(headLength)
              + ", at most "
              + maxFrame);
    }
    // Checked before anything is allocated, so that a damaged header costs no memory.
    if (header.getInt(12) != OutboundFrame.headerCrc(header.array())) {
      throw new BadFrameException(false, "the header's checksum is wrong");
    }
    expectedCrc = header.getInt(8);
    head = ByteBuffer.allocate(headLength);
    payload = ByteBuffer.allocate(total - headLength);
  }

  private void checkBody() throws BadFrameException {
    head.flip();
    payload.flip();
    CRC32C crc = new CRC32C();
    crc.update(head.duplicate());
    crc.update(payload.duplicate());
    if ((int) crc.getValue() != expectedCrc) {
      throw new BadFrameException(
          false, "the checksum of " + (head.remaining() + payload.remaining()) + " bytes is wrong");
    }
  }

  private static void fill(ByteBuffer target, ByteBuf in) {
    int bytes = Math.min(target.remaining(), in.readableBytes());
    if (bytes > 0) {
      in.readBytes(target.array(), target.position(), bytes);
      target.position(target.position() + bytes);
    }
  }
}
