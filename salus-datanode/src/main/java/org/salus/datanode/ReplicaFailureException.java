package org.salus.datanode;

import java.io.IOException;

/** Carries a {@link ReplicaFailure} out of a call that has no listener. */
public final class ReplicaFailureException extends IOException {
  private static final long serialVersionUID = 1;
  private final transient ReplicaFailure failure;

  /** Wraps the failure. */
  public ReplicaFailureException(ReplicaFailure failure) {
    super(failure.kind() + ": " + failure.message());
    this.failure = failure;
  }

  /** The failure; null after Java serialization. */
  public ReplicaFailure failure() {
    return failure;
  }
}
