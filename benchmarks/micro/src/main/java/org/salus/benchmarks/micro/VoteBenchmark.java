package org.salus.benchmarks.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.salus.core.Signer;
import org.salus.core.message.Message.Vote;

/** A vote on a batch, signed and checked, as a commit is; several for each batch, however small. */
@State(Scope.Thread)
public class VoteBenchmark {
  private final Signer signer = Samples.signer();
  private final Vote bare = Vote.on(Samples.subBatch(1, false, 1000), 0, 1, null);
  private final Vote vote = sign();

  @Benchmark
  public Vote sign() {
    return bare.sign(Samples.REGION.volume(), signer);
  }

  @Benchmark
  public boolean verify() {
    return vote.isSigned(Samples.REGION.volume(), signer);
  }
}
