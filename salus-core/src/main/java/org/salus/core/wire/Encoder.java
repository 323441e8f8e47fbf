package org.salus.core.wire;

import java.nio.ByteBuffer;
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

  private ByteBuffer room(int n) {
    if (size + n > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + n, 2 * bytes.length));
    }
    size += n;
    return ByteBuffer.wrap(bytes, size - n, n);
  }

  public Encoder u8(int v) {
    room(1).put((byte) v);
    return this;
  }

  public Encoder bool(boolean v) {
    return u8(v ? 1 : 0);
  }

  public Encoder i32(int v) {
    room(4).putInt(v);
    return this;
  }

  public Encoder i64(long v) {
    room(8).putLong(v);
    return this;
  }

  /** Bytes whose number the reader knows. */
  public Encoder raw(byte[] v) {
    room(v.length).put(v);
    return this;
  }

  /** Bytes with their number in front. */
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
