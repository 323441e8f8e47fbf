package org.salus.benchmarks.peers.ring;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * A message from a server to its successor, or between a client and a server.
 *
 * @param tag the write's tag between servers, otherwise {@link Tag#NONE}
 * @param request the client's number of the request; 0 between servers
 * @param content the block's content if the kind has one, otherwise empty
 */
record RingMessage(Kind kind, int block, Tag tag, long request, byte[] content) {
  private static final byte[] NOTHING = {};

  /** The kinds, in the order of their byte on the wire. */
  enum Kind {
    /** From server to server: this content will be written. */
    PRE_WRITE,
    /** From server to server: all servers have the content, and it is written. */
    WRITE,
    ASK_WRITE,
    WRITTEN,
    ASK_READ,
    FOUND;

    private static final Kind[] ALL = values();
  }

  static RingMessage preWrite(int block, Tag tag, byte[] content) {
    return new RingMessage(Kind.PRE_WRITE, block, tag, 0, content);
  }

  /** A WRITE message. It has no content, because all servers have it already. */
  static RingMessage write(int block, Tag tag) {
    return new RingMessage(Kind.WRITE, block, tag, 0, NOTHING);
  }

  static RingMessage ask(Kind kind, int block, long request, byte[] content) {
    return new RingMessage(kind, block, Tag.NONE, request, content);
  }

  static RingMessage askRead(int block, long request) {
    return ask(Kind.ASK_READ, block, request, NOTHING);
  }

  RingMessage written() {
    return ask(Kind.WRITTEN, block, request, NOTHING);
  }

  RingMessage found(byte[] found) {
    return ask(Kind.FOUND, block, request, found);
  }

  void writeTo(DataOutputStream out) throws IOException {
    out.writeByte(kind.ordinal());
    out.writeInt(block);
    out.writeLong(tag.timestamp());
    out.writeInt(tag.server());
    out.writeLong(request);
    out.writeInt(content.length);
    out.write(content);
  }

  static RingMessage readFrom(DataInputStream in) throws IOException {
    Kind kind = Kind.ALL[in.readByte()];
    int block = in.readInt();
    Tag tag = new Tag(in.readLong(), in.readInt());
    long request = in.readLong();
    return new RingMessage(kind, block, tag, request, in.readNBytes(in.readInt()));
  }
}
