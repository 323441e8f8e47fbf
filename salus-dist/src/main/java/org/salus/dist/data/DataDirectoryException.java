package org.salus.dist.data;

import java.io.IOException;
import java.nio.file.Path;

/** A data directory cannot be used. The message is for the user. */
public final class DataDirectoryException extends IOException {
  /** The reasons for which a directory cannot be used. */
  public enum Reason {
    LOCKED,
    ODD_NAME,
    NOT_WRITABLE,
    NEWER_FORMAT,
    DAMAGED,
    FEWER_SERVERS,
    PORT_TAKEN,
    NOT_A_CLUSTER
  }

  private final Reason reason;

  DataDirectoryException(Reason reason, Path dir, String what, Throwable cause) {
    super("data directory " + dir + " " + what, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
