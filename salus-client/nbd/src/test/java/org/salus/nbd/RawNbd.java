package org.salus.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The bytes that a client of NBD sends, and those that it expects. */
final class RawNbd {

  static final byte[] NOTHING = {0, 0};
  static final byte[] BASE = join(new byte[] {0, 0, 0, 1}, name(Nbd.BASE_ALLOCATION));

  private RawNbd() {}

  /** An option as the client sends it. */
  static byte[] option(int option, byte[] data) {
    return ByteBuffer.allocate(16 + data.length)
        .putLong(Nbd.IHAVEOPT)
        .putInt(option)
        .putInt(data.length)
        .put(data)
        .array();
  }

  static byte[] name(String name) {
    byte[] b = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(4 + b.length).putInt(b.length).put(b).array();
  }

  static byte[] join(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
    Arrays.stream(parts).forEach(all::put);
    return all.array();
  }

  /** Sends an option and returns the types of its replies, the final one last. */
  static List<Integer> replies(Socket s, int option, byte[]... data) throws IOException {
    s.getOutputStream().write(option(option, join(data)));
    List<Integer> types = new ArrayList<>();
    do {
      ByteBuffer head = receive(s, 20);
      assertThat(head.getLong()).isEqualTo(Nbd.OPTION_REPLY_MAGIC);
      assertThat(head.getInt()).isEqualTo(option);
      types.add(head.getInt());
      ByteBuffer body = receive(s, head.getInt());
      if (types.get(types.size() - 1) == Nbd.REP_INFO && body.getShort() == Nbd.INFO_EXPORT) {
        assertThat(body.getLong()).isEqualTo(GatedBridge.SIZE);
        types.add(Short.toUnsignedInt(body.getShort()));
      }
      if (types.get(types.size() - 1) < 0) {
        assertThat(body.capacity()).as("an error's text").isLessThanOrEqualTo(Nbd.MAX_STRING);
      }
    } while (types.get(types.size() - 1) != Nbd.REP_ACK && types.get(types.size() - 1) > 0);
    return types;
  }

  static void send(Socket s, int flags, int command, long offset, int length, byte[] payload)
      throws IOException {
    s.getOutputStream().write(join(request(flags, command, offset, length), payload));
  }

  /** The header of a request. */
  static byte[] request(int flags, int command, long offset, int length) {
    return ByteBuffer.allocate(28)
        .putInt(Nbd.REQUEST_MAGIC)
        .putShort((short) flags)
        .putShort((short) command)
        .putLong(99)
        .putLong(offset)
        .putInt(length)
        .array();
  }

  /** Sends {@code count} reads in one write. */
  static void sendReads(Socket s, int count, int length) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(count * 28);
    for (int i = 0; i < count; i++) {
      all.putInt(Nbd.REQUEST_MAGIC)
          .putShort((short) 0)
          .putShort((short) Nbd.CMD_READ)
          .putLong(99)
          .putLong(0)
          .putInt(length);
    }
    s.getOutputStream().write(all.array());
  }

  static ByteBuffer receive(Socket s, int n) throws IOException {
    byte[] b = new byte[n];
    new DataInputStream(s.getInputStream()).readFully(b);
    return ByteBuffer.wrap(b);
  }

  static int simpleReply(Socket s) throws IOException {
    ByteBuffer b = receive(s, 16);
    assertThat(b.getInt()).isEqualTo(Nbd.SIMPLE_REPLY_MAGIC);
    int errno = b.getInt();
    assertThat(b.getLong()).isEqualTo(99);
    return errno;
  }

  /** Takes a structured reply of one chunk, and returns its errno. */
  static int structuredReply(Socket s) throws IOException {
    ByteBuffer head = receive(s, 20);
    assertThat(head.getInt()).isEqualTo(Nbd.STRUCTURED_REPLY_MAGIC);
    assertThat(head.getShort()).isEqualTo((short) Nbd.REPLY_FLAG_DONE);
    int type = Short.toUnsignedInt(head.getShort());
    ByteBuffer body = receive(s, head.getInt(16));
    return type == Nbd.REPLY_TYPE_ERROR ? body.getInt() : 0;
  }
}
