package org.salus.core.log;

import java.util.List;
import org.salus.core.log.LogState.Pending;
import org.salus.core.log.SubBatch.Participants;
import org.salus.core.log.SubBatch.PrevLeader;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * A sub-batch that is not settled, or not durable. A manifest tells those that are not settled. It
 * leaves out their PUTs: once their segment is no longer read, they are in a checkpoint.
 *
 * @param view the view in which it was issued last
 * @param first first seq of the whole batch
 * @param last last seq of the whole batch
 * @param lastHere last seq of this region's part
 * @param participants regions that take part in the batch, ascending
 * @param volumeRoot root of the volume tree after {@code last}
 * @param segment the segment in which its PUTs stand
 */
public record Undecided(
    int view,
    long first,
    long last,
    long lastHere,
    List<Integer> participants,
    byte[] volumeRoot,
    long segment) {
  private static final int HASH = 32;
  private static final long NOWHERE = 0;

  static Undecided of(Pending p) {
    SubBatch b = p.batch();
    return new Undecided(
        b.view(),
        b.first(),
        b.last(),
        b.lastSeqHere(),
        b.participants().regions(),
        b.volumeRoot(),
        p.at().segment());
  }

  /** The pending sub-batch, but for its PUTs. */
  Pending pending(long mountEpoch) {
    List<Put> nothing = List.of(new Put(lastHere, 0, 0, null));
    SubBatch b =
        new SubBatch(
            mountEpoch,
            view,
            first,
            last,
            0,
            0,
            Durable.NOTHING,
            new Participants(0, participants, participants.stream().map(p -> 0).toList()),
            new PrevLeader(0, 0),
            false,
            volumeRoot,
            nothing);
    return new Pending(b, new Position(segment, NOWHERE), NOWHERE);
  }

  Prepared prepared() {
    return new Prepared(view, first, last, participants, volumeRoot);
  }

  void encode(Encoder e) {
    e.i32(view)
        .i64(first)
        .i64(last)
        .i64(lastHere)
        .list(participants, Encoder::i32)
        .raw(volumeRoot)
        .i64(segment);
  }

  static Undecided decode(Decoder d) throws MalformedException {
    return new Undecided(
        d.i32(), d.i64(), d.i64(), d.i64(), d.list(Decoder::i32), d.raw(HASH), d.i64());
  }
}
