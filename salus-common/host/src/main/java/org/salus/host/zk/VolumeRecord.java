package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Objects;
import org.salus.core.VolumeSpec;

/**
 * The record of a volume. Immutable.
 *
 * @param spec the volume's shape
 * @param state whether it can be used
 * @param format the number of the format of its records and files
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record VolumeRecord(VolumeSpec spec, State state, int format) {
  /** The format that this program writes and reads. */
  public static final int FORMAT = 4;

  /**
   * The states of a volume. A RESTORING volume has not got back all its records, and nobody uses
   * it. A DELETING volume can never be used again; it is DELETED when its files are gone.
   */
  public enum State {
    RESTORING,
    ACTIVE,
    DELETING,
    DELETED
  }

  public VolumeRecord {
    Objects.requireNonNull(spec, "spec");
    Objects.requireNonNull(state, "state");
  }

  /** A volume in this program's format. */
  public VolumeRecord(VolumeSpec spec, State state) {
    this(spec, state, FORMAT);
  }
}
