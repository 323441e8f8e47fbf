package org.salus.regionserver.hdfs;

import java.io.IOException;

/**
 * Says that M0 has not created a checkpoint's file yet. Either there is no room for it, or the
 * NameNode does not answer.
 */
public final class NotCreatedException extends IOException {
  private static final long serialVersionUID = 1;

  NotCreatedException(String path, IOException cause) {
    super(
        "the primary has not created "
            + path
            + (cause == null ? "" : ", or cannot be asked: " + cause.getMessage()),
        cause);
  }
}
