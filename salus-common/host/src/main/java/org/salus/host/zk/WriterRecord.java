package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.salus.core.mount.Claimant;

/**
 * The record of the present writer of a volume. Immutable.
 *
 * @param holder the text that describes the writer
 * @param since the time at which it took the volume, in ms since 1970
 * @param mountEpoch the number of its mount
 * @param service the service's name, which one process at a time can have, such as an address on
 *     which it listens; or empty
 * @param pid the writer's process id on its machine
 * @param claimId the id of its claim, see {@link Claimant#user}
 * @param withoutUser whether it is the master, which settles what a writer has left
 * @param generation see {@link Claimant}; so is {@code process}. Absent in older records
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record WriterRecord(
    String holder,
    long since,
    long mountEpoch,
    String service,
    long pid,
    String claimId,
    boolean withoutUser,
    long generation,
    String process) {
  /** Replaces a missing service or id by an empty one. */
  public WriterRecord {
    service = service == null ? "" : service;
    claimId = claimId == null ? "" : claimId;
    process = process == null ? "" : process;
  }

  /** Who has claimed the volume. */
  public Claimant claimant() {
    return new Claimant(claimId, generation, process);
  }
}
