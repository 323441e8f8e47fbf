package org.salus.core.recovery;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * A DataNode's question to the NameNode whether it has given a generation stamp out; see {@link
 * org.salus.core.log.LogRules#isGivenOut}. Only a guard answers it. A NameNode without one takes no
 * notice, and that is no answer.
 */
public record StampQuestion(long stamp) {
  private static final byte[] KIND = "stamp".getBytes(StandardCharsets.UTF_8);

  public byte[] encode() {
    return new Encoder(32).bytes(KIND).i64(stamp).toBytes();
  }

  /** The guard's answer if the NameNode has given the stamp out. */
  public String answer() {
    return String.format("Salus knows stamp %016x as given out", stamp);
  }

  /** Whether this is the guard's answer. Other words may follow it. */
  public boolean isAnsweredBy(String words) {
    return words != null && words.startsWith(answer());
  }

  public static StampQuestion decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    if (!Arrays.equals(d.bytes(), KIND)) {
      throw new MalformedException("not a question about a stamp");
    }
    StampQuestion question = new StampQuestion(d.i64());
    d.end();
    return question;
  }
}
