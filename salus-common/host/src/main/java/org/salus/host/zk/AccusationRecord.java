package org.salus.host.zk;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.salus.core.replacement.Accusation;

/** A session's accusation against a member, with its signature. Immutable. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record AccusationRecord(Accusation accusation, byte[] signature) {
  /** Checks that every field is there, since others may have written the record. */
  public AccusationRecord {
    requireNonNull(accusation.cause());
    requireNonNull(accusation.what());
    requireNonNull(signature);
  }
}
