package org.salus.host.zk;

import java.io.IOException;
import org.salus.core.Reason;

/** An expected failure of the cluster's shared records, with a one-line message. */
public class ClusterStoreException extends IOException {
  public ClusterStoreException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The record to create exists already. */
  public static final class Exists extends ClusterStoreException {
    Exists(String what) {
      super(what + " exists already", null);
    }
  }

  /** The record does not exist. */
  public static final class Missing extends ClusterStoreException {
    /**
     * @param what the missing thing, in words
     */
    public Missing(String what) {
      super(what + " does not exist", null);
    }
  }

  /** Another process changed the record first. */
  public static final class Conflict extends ClusterStoreException {
    Conflict(String what) {
      super(what + " was changed by somebody else", null);
    }
  }

  /** The records of the volume's regions are not all there yet, see RESTORING. */
  public static final class Restoring extends ClusterStoreException {
    Restoring(String volume) {
      super(
          "the repair of the records of volume "
              + volume
              + " is not done: if it does not run, run 'salus volume repair "
              + volume
              + "' again",
          null);
    }
  }

  /** The volume has a writer. */
  public static final class Busy extends ClusterStoreException {
    private final transient WriterRecord writer;

    /**
     * @param writer the volume's present writer
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

    /** The volume's present writer. */
    public WriterRecord writer() {
      return writer;
    }
  }

  /** Another version of Salus wrote the record. */
  public static final class Format extends ClusterStoreException {
    public Format(String what, int format) {
      super(Reason.otherFormat(what, format, VolumeRecord.FORMAT).words(), null);
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
