package org.salus.common.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/** The members of a region, in chain order, in an epoch. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record RrsRecord(
    int epoch, List<String> members, State state, String note) {
  /** Whether the epoch still recovers or serves. */
  public enum State { OPENING, SERVING }

  /** Copies the members. */
  public RrsRecord {
    members = List.copyOf(members);
  }
}
