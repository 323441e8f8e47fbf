package org.salus.host.zk;

import java.io.IOException;

/** An expected failure of the cluster's shared records, with a one-line message. */
public class ClusterStoreException extends IOException {
  ClusterStoreException(String message, Throwable cause) {
    super(message, cause);
  }

  /** What is to be created is there already. */
  public static final class Exists extends ClusterStoreException {
    Exists(String what) {
      super(what + " exists already", null);
    }
  }

  /** What is asked for is not there. */
  public static final class Missing extends ClusterStoreException {
    /**
     * @param what in words
     */
    public Missing(String what) {
      super(what + " does not exist", null);
    }
  }

  /** Somebody else changed it first. */
  public static final class Conflict extends ClusterStoreException {
    Conflict(String what) {
      super(what + " was changed by somebody else", null);
    }
  }

  /** The volume has a writer. */
  public static final class Busy extends ClusterStoreException {
    private final transient WriterRecord writer;

    /**
     * @param writer who has the volume
     */
    public Busy(String volume, WriterRecord writer) {
      super(
          "volume "
              + volume
              + " is in use by "
              + writer.holder()
              + " since "
              + java.time.Instant.ofEpochMilli(writer.since()),
          null);
      this.writer = writer;
    }

    /** Who holds it. */
    public WriterRecord writer() {
      return writer;
    }
  }

  /** Another version of Salus wrote it. */
  public static final class Format extends ClusterStoreException {
    Format(String what, int format) {
      super(
          what
              + " was written in format "
              + format
              + ", this program reads "
              + VolumeRecord.FORMAT
              + "; use the version of Salus that wrote it",
          null);
    }
  }

  /** ZooKeeper does not answer. */
  public static final class Unreachable extends ClusterStoreException {
    /**
     * @param cause may be null
     */
    public Unreachable(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
