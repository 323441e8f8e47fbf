package org.salus.core.recovery;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The question to a NameNode whether it is guarded. Only a guard answers it; a NameNode without one
 * takes no notice.
 *
 * @param number any number, so that no answer to another question counts
 */
public record GuardQuestion(long number) {
  private static final byte[] KIND = "guard".getBytes(StandardCharsets.UTF_8);

  public byte[] encode() {
    return new Encoder(32).bytes(KIND).i64(number).toBytes();
  }

  public static GuardQuestion decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    if (!Arrays.equals(d.bytes(), KIND)) {
      throw new MalformedException("not a question about a guard");
    }
    GuardQuestion question = new GuardQuestion(d.i64());
    d.end();
    return question;
  }

  /** The guard's answer. */
  public String answer() {
    return String.format("Salus guards this NameNode %016x", number);
  }

  /** Whether this is the guard's answer. Other words may follow it. */
  public boolean isAnsweredBy(String words) {
    return words != null && words.startsWith(answer());
  }
}
