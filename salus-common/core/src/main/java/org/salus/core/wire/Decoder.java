package org.salus.core.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads what {@link Encoder} wrote; anything else is a {@link MalformedException}. Advances the
 * buffer.
 */
public final class Decoder {
  private final ByteBuffer in;

  public Decoder(ByteBuffer in) {
    this.in = in;
  }

  public Decoder(byte[] in) {
    this(ByteBuffer.wrap(in));
  }

  /** Reads one element. */
  public interface Reader<T> {
    T read(Decoder d) throws MalformedException;
  }

  private ByteBuffer need(int n) throws MalformedException {
    if (n < 0 || in.remaining() < n) {
      throw new MalformedException("needs " + n + " bytes, has " + in.remaining());
    }
    return in;
  }

  public int u8() throws MalformedException {
    return need(1).get() & 0xff;
  }

  public boolean bool() throws MalformedException {
    return u8() != 0;
  }

  public int i32() throws MalformedException {
    return need(4).getInt();
  }

  public long i64() throws MalformedException {
    return need(8).getLong();
  }

  public byte[] raw(int n) throws MalformedException {
    need(n);
    byte[] v = new byte[n];
    in.get(v);
    return v;
  }

  /** Puts {@code n} bytes into {@code to} from {@code at} on. */
  public void raw(byte[] to, int at, int n) throws MalformedException {
    need(n).get(to, at, n);
  }

  public byte[] bytes() throws MalformedException {
    return raw(i32());
  }

  /** Skips what {@link #bytes} would read. Returns the number of bytes. */
  public int skipBytes() throws MalformedException {
    int n = i32();
    need(n).position(in.position() + n);
    return n;
  }

  public String string() throws MalformedException {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  public <T> List<T> list(Reader<T> each) throws MalformedException {
    int n = i32();
    need(n);
    List<T> v = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      v.add(each.read(this));
    }
    return v;
  }

  /** Whether all bytes are read. */
  public boolean isAtEnd() {
    return !in.hasRemaining();
  }

  /** Throws if bytes are left over. */
  public void end() throws MalformedException {
    if (!isAtEnd()) {
      throw new MalformedException(in.remaining() + " bytes too many");
    }
  }
}
