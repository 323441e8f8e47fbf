package org.salus.datanode.hdfs.replica;

import java.io.IOException;

/**
 * A guard's answer to a {@link org.salus.core.recovery.GuardQuestion} or a {@link
 * org.salus.core.recovery.StampQuestion}.
 */
public final class GuardAnswerException extends IOException {
  private static final long serialVersionUID = 1;

  /** Hadoop's RPC makes it again at the caller from this message. */
  public GuardAnswerException(String answer) {
    super(answer);
  }
}
