package org.salus.client;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.host.netty.Loop;

/**
 * Asks in one message for what reads of one turn of the loop want side by side in a stripe, as when
 * a file is read in order: messages are most of what a small read costs. Nobody waits for company
 * that is not there yet. Everything runs on the loop.
 */
final class ReadMerger {
  /**
   * After so long each read goes on alone: a block that no server has is not to hold up its
   * neighbours.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final RemoteVolume volume;
  private final Loop loop;
  private List<ReadOperation> gathered = new ArrayList<>();

  ReadMerger(RemoteVolume volume, Loop loop) {
    this.volume = volume;
    this.loop = loop;
  }

  /** A read of whole blocks, to be issued with what else comes in this turn. */
  void add(ReadOperation read) {
    if (gathered.isEmpty()) {
      loop.execute(this::issue);
    }
    gathered.add(read);
  }

  /** Issues what has come; to be called before anything that is to happen after it. */
  void issue() {
    if (gathered.isEmpty()) {
      return;
    }
    List<ReadOperation> reads = take();
    reads.sort(Comparator.comparingLong(ReadOperation::firstBlock));
    for (int from = 0; from < reads.size(); ) {
      int to = from + 1;
      while (to < reads.size() && isBeside(reads.get(to - 1), reads.get(to))) {
        to++;
      }
      issue(reads.subList(from, to));
      from = to;
    }
  }

  /** What has come and is not issued; it is the caller's from now on. */
  List<ReadOperation> take() {
    List<ReadOperation> taken = gathered;
    gathered = new ArrayList<>();
    return taken;
  }

  private boolean isBeside(ReadOperation before, ReadOperation next) {
    int stripe = volume.spec().stripeBlocks();
    return before.endBlock() == next.firstBlock()
        && before.firstBlock() / stripe == (next.endBlock() - 1) / stripe;
  }

  private void issue(List<ReadOperation> run) {
    if (run.size() == 1) {
      run.get(0).issue();
    } else {
      new Merged(run).issue();
    }
  }

  /** Reads that are one for the session. */
  private final class Merged {
    private final List<ReadOperation> reads;
    private Loop.Timer patience;
    private boolean over;

    Merged(List<ReadOperation> reads) {
      this.reads = reads;
    }

    void issue() {
      ReadOperation first = reads.get(0);
      ByteBuffer blocks =
          ByteBuffer.allocate(
              (int) (reads.get(reads.size() - 1).endBlock() - first.firstBlock())
                  * volume.spec().blockSize());
      patience = loop.schedule(PATIENCE, this::split);
      first
          .request((session, id, now) -> session.read(id, first.firstBlock(), blocks.slice(), now))
          .thenAccept(e -> ended(e, blocks));
    }

    private void ended(SessionEffect.Outcome e, ByteBuffer blocks) {
      patience.cancel();
      if (e instanceof SessionEffect.Failed f && f.why() == SessionError.INTEGRITY) {
        split();
      } else if (!over) {
        over = true;
        reads.forEach(
            r -> r.ended(e, blocks.slice((int) (r.offset - reads.get(0).offset), (int) r.length)));
      }
    }

    /** What comes of all together is of no interest any more. */
    private void split() {
      if (!over) {
        over = true;
        reads.forEach(ReadOperation::issue);
      }
    }
  }
}
