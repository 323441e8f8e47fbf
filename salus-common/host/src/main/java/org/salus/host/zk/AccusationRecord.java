package org.salus.host.zk;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.salus.core.session.Accusation;

/** A session's word against a member, with its signature. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record AccusationRecord(Accusation accusation, byte[] signature) {
  /** Of what others may have written everything must be there. */
  public AccusationRecord {
    requireNonNull(accusation.cause());
    requireNonNull(accusation.what());
    requireNonNull(signature);
  }
}
