package org.salus.core.session;

import java.util.List;

/**
 * What a user relies on by a session that has mounted the volume.
 *
 * @param since the session's mount; 0 for a user who has not mounted the volume
 * @param seqs the last PUT that was acknowledged, or that the mount began with, by region
 */
public record Acknowledgements(long since, List<Long> seqs) {
  /** Of a user who relies on nothing. */
  public static final Acknowledgements NONE = new Acknowledgements(0, List.of());

  /** Copies the list. */
  public Acknowledgements {
    seqs = List.copyOf(seqs);
  }

  /** The same for a user who accepts the loss of what is later. */
  Acknowledgements atMost(long needed) {
    return new Acknowledgements(since, seqs.stream().map(seq -> Math.min(seq, needed)).toList());
  }

  long of(int region) {
    return since == 0 ? 0 : seqs.get(region);
  }
}
