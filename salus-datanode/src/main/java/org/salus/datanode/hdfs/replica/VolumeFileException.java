package org.salus.datanode.hdfs.replica;

import java.io.IOException;

/** An operation on a volume's file that did not happen, for a reason that the caller can act on. */
public final class VolumeFileException extends IOException {
  private static final long serialVersionUID = 1;

  /** The reasons. */
  public enum Kind {
    /** The NameNode did not give the block to the hinted DataNodes. */
    LOCATIONS,
    /** One of the hinted DataNodes has no room for the block. */
    NO_SPACE,
    /** There is a file of that name with data in it. */
    EXISTS,
    /** There is no such file, or it has no block. */
    NOT_FOUND,
    /** The certificate does not permit it. */
    REFUSED,
    /** The replicas or the file contradict the length that is to be recovered. */
    LENGTH
  }

  private final Kind kind;

  VolumeFileException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  VolumeFileException(Kind kind, String message) {
    this(kind, message, null);
  }

  /** The reason. */
  public Kind kind() {
    return kind;
  }
}
