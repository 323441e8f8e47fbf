package org.salus.common.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.salus.core.VolumeSpec;

/** A volume as created. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record VolumeRecord(VolumeSpec spec, State state) {
  /** A volume that is being deleted can never be used again; it is DELETED when its files are gone. */
  public enum State { ACTIVE, DELETING, DELETED }
}
