package org.salus.core.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/** Appends values to a growing byte array. Not thread-safe. */
public final class Encoder {
  private byte[] bytes;
  private int size;

  public Encoder(int expected) {
    bytes = new byte[Math.max(16, expected)];
  }

  /** Makes room for {@code n} bytes and returns their index. */
  private int room(int n) {
    if (size + n > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + n, 2 * bytes.length));
    }
    size += n;
    return size - n;
  }

  public Encoder u8(int v) {
    int at = room(1);
    bytes[at] = (byte) v;
    return this;
  }

  public Encoder bool(boolean v) {
    return u8(v ? 1 : 0);
  }

  // Plain stores without a buffer for each value: the JIT compiler takes seconds for a message of
  // many buffers.
  public Encoder i32(int v) {
    int at = room(4);
    bytes[at] = (byte) (v >> 24);
    bytes[at + 1] = (byte) (v >> 16);
    bytes[at + 2] = (byte) (v >> 8);
    bytes[at + 3] = (byte) v;
    return this;
  }

  public Encoder i64(long v) {
    return i32((int) (v >> 32)).i32((int) v);
  }

  /** Appends bytes whose number the reader knows. */
  public Encoder raw(byte[] v) {
    int at = room(v.length);
    System.arraycopy(v, 0, bytes, at, v.length);
    return this;
  }

  /** Appends bytes with their number in front. */
  public Encoder bytes(byte[] v) {
    return i32(v.length).raw(v);
  }

  public Encoder string(String v) {
    return bytes(v.getBytes(StandardCharsets.UTF_8));
  }

  public <T> Encoder list(List<T> v, BiConsumer<Encoder, T> each) {
    i32(v.size());
    v.forEach(x -> each.accept(this, x));
    return this;
  }

  public int size() {
    return size;
  }

  public byte[] toBytes() {
    return size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
  }
}
