package org.salus.dist.data;

import java.io.IOException;
import java.nio.file.Path;

/** A data directory that cannot be used; the message is for the user. */
public final class DataDirectoryException extends IOException {
  /** Why not. */
  public enum Reason {
    LOCKED,
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
