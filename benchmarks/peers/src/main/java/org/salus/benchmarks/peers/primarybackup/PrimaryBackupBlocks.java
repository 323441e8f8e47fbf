package org.salus.benchmarks.peers.primarybackup;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.salus.benchmarks.peers.PeerServers;
import org.salus.benchmarks.peers.ratis.RaftGroupBlocks;

/** Primary-backup: the leader of a block's Raft group answers every read of it alone. */
public final class PrimaryBackupBlocks extends RaftGroupBlocks {
  /** How many primaries there are. No two of these share a group, nor does Ratis' store. */
  public enum Primaries {
    /** One server is the primary of all blocks. */
    ONE("PB1", 1, 1),
    /** Each of the three servers is the primary of a third of the blocks. */
    EVERY_SERVER("PBN", 2, 3);

    private final String label;
    private final int first;
    private final int groups;

    Primaries(String label, int first, int groups) {
      this.label = label;
      this.first = first;
      this.groups = groups;
    }

    /** What the store is called in tables. */
    public String label() {
      return label;
    }
  }

  /**
   * @param servers those of Ratis
   * @param outstanding most requests
   */
  public PrimaryBackupBlocks(Primaries primaries, PeerServers servers, int outstanding) {
    super(primaries.label, primaries.first, primaries.groups, servers, outstanding);
  }

  @Override
  protected CompletableFuture<ByteBuffer> ask(long block) {
    return askLeader(block);
  }
}
