package org.salus.regionserver.hdfs;

import java.io.IOException;

/**
 * The file of a checkpoint is not there yet: for want of room, or because the NameNode does not
 * answer.
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
