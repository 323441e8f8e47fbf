package org.salus.benchmarks.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.salus.core.Signer;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.MessageCodec;

/** A vote on a batch, signed and checked, as a commit is; several for each batch, however small. */
@State(Scope.Thread)
public class VoteBenchmark {
  private final Signer signer = Samples.signer();
  private final Vote bare = new Vote(0, 1, Samples.MOUNT, 1, 1000, 1249, null, new byte[0]);
  private final Vote vote = new Vote(0, 1, Samples.MOUNT, 1, 1000, 1249, null, sign());

  @Benchmark
  public byte[] sign() {
    return signer.sign(Signer.laneName(Samples.REGION, 1), MessageCodec.signed(bare));
  }

  @Benchmark
  public boolean verify() {
    return signer.verifies(
        Signer.laneName(Samples.REGION, 1), vote.signature(), MessageCodec.signed(vote));
  }
}
