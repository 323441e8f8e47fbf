package org.salus.host.netty;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Cuts a byte stream into frames. Each frame's head and payload go straight into buffers of their
 * own. A header alone makes no large buffer: a buffer grows with the bytes that have come. So
 * whoever wants memory of this process must send as many bytes. Not thread-safe.
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

  /** Bytes of a buffer before any of its bytes have come. */
  static final int FIRST = 64 << 10;

  /** The factor by which a full buffer grows. */
  private static final int GROWTH = 4;

  private final int maxFrame;
  private final Unfinished unfinished;

  private final Runnable evicted;
  private final ByteBuffer header = ByteBuffer.allocate(OutboundFrame.HEADER);
  private ByteBuffer head;
  private ByteBuffer payload;
  private int headLength;
  private int payloadLength;
  private int expectedCrc;

  /**
   * @param unfinished counts what has come of frames that are not whole
   * @param evicted called, on any thread, when this reader has to go because its frame takes
   *     longest
   */
  FrameReader(int maxFrame, Unfinished unfinished, Runnable evicted) {
    this.maxFrame = maxFrame;
    this.unfinished = unfinished;
    this.evicted = evicted;
  }

  void evict() {
    evicted.run();
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
    head = fill(head, headLength, in);
    if (head.position() == headLength) {
      payload = fill(payload, payloadLength, in);
    }
    if (head.position() < headLength || payload.position() < payloadLength) {
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
    if (headLength > FIRST || payloadLength > FIRST) {
      close();
    }
  }

  /** Gives back what an unfinished frame has taken. */
  void close() {
    unfinished.give(this);
  }

  private void startFrame() throws BadFrameException {
    int total = header.getInt(0);
    headLength = header.getInt(4);
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
    payloadLength = total - headLength;
    head = ByteBuffer.allocate(Math.min(FIRST, headLength));
    payload = ByteBuffer.allocate(Math.min(FIRST, payloadLength));
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

  /**
   * Fills a buffer that is to hold {@code length} bytes. Returns it, or the larger one in its
   * place.
   */
  private ByteBuffer fill(ByteBuffer target, int length, ByteBuf in) throws BadFrameException {
    ByteBuffer to = target;
    fill(to, in);
    while (to.position() < length && !to.hasRemaining() && in.isReadable()) {
      int larger = (int) Math.min(length, (long) GROWTH * to.capacity());
      if (!unfinished.take(this, larger - to.capacity())) {
        throw new BadFrameException(false, "its address has too much of frames that do not end");
      }
      to = ByteBuffer.allocate(larger).put(to.flip());
      fill(to, in);
    }
    return to;
  }

  private static void fill(ByteBuffer target, ByteBuf in) {
    int bytes = Math.min(target.remaining(), in.readableBytes());
    if (bytes > 0) {
      in.readBytes(target.array(), target.position(), bytes);
      target.position(target.position() + bytes);
    }
  }
}
