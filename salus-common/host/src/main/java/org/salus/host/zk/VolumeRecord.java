package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.salus.core.VolumeSpec;

/**
 * A volume as created. Immutable.
 *
 * @param format in which records and files are written
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record VolumeRecord(VolumeSpec spec, State state, int format) {
  /** The format that this program writes and reads. */
  public static final int FORMAT = 1;

  /**
   * A volume that is being deleted can never be used again; it is DELETED when its files are gone.
   */
  public enum State {
    ACTIVE,
    DELETING,
    DELETED
  }

  /** A volume in this program's format. */
  public VolumeRecord(VolumeSpec spec, State state) {
    this(spec, state, FORMAT);
  }
}
