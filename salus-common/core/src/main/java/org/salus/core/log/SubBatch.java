package org.salus.core.log;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * One region's part of one batch (paper §4.1, PC1). The session signs it as a {@link LogRequest}.
 *
 * @param mountEpoch the number of the mount
 * @param view the view; it grows when the session issues unacknowledged batches again
 * @param first first seq of the whole batch
 * @param last last seq of the whole batch
 * @param prevNum the last seq that the session sent to this region before
 * @param acked the seq up to which all lanes have committed: the certified watermark
 * @param durable the prefix that is durable; at most {@code acked}
 * @param participants the regions that take part in the batch
 * @param prevLeader who decided the batch before
 * @param sync whether the sub-batch is prepared only after fsync
 * @param volumeRoot root of the volume tree after {@code last}
 * @param puts this region's PUTs, by seq; empty in a pure barrier
 */
public record SubBatch(
    long mountEpoch,
    int view,
    long first,
    long last,
    long prevNum,
    long acked,
    Durable durable,
    Participants participants,
    PrevLeader prevLeader,
    boolean sync,
    byte[] volumeRoot,
    List<Put> puts) {

  private static final int HASH = 32;

  /**
   * The regions that take part in a batch.
   *
   * @param leader the region whose members decide the batch
   * @param regions all of them, ascending
   * @param epochs the epochs of their RRSs in this view, in the same order
   */
  public record Participants(int leader, List<Integer> regions, List<Integer> epochs) {

    /** The epoch that takes part for a region in this view; 0 if the region takes no part. */
    public int epochOf(int region) {
      int i = regions.indexOf(region);
      return i < 0 ? 0 : epochs.get(i);
    }

    /** Whether the regions ascend, each has an epoch, and the leader is one of them. */
    private boolean areWhole() {
      for (int i = 0; i < regions.size(); i++) {
        if (regions.get(i) <= (i == 0 ? -1 : regions.get(i - 1))) {
          return false;
        }
      }
      return regions.contains(leader) && epochs.size() == regions.size();
    }
  }

  /**
   * Who decided the batch before.
   *
   * @param region its leader, or -1 for none
   * @param epoch the epoch of that region's RRS, or 0
   */
  public record PrevLeader(int region, int epoch) {
    public static final PrevLeader NONE = new PrevLeader(-1, 0);

    public boolean exists() {
      return region >= 0;
    }
  }

  /** The seq that {@code prevNum} of this region's next sub-batch will name. */
  public long lastSeqHere() {
    return puts.isEmpty() ? last : puts.get(puts.size() - 1).seq();
  }

  /** The same without its PUTs: enough to decide it. */
  public SubBatch withoutPuts() {
    return new SubBatch(
        mountEpoch,
        view,
        first,
        last,
        prevNum,
        acked,
        durable,
        participants,
        prevLeader,
        sync,
        volumeRoot,
        List.of());
  }

  /** The number of blocks in the payload. */
  public int dataBlocks() {
    return (int) puts.stream().filter(p -> !p.zero()).count();
  }

  public byte[] encode() {
    Encoder e = new Encoder(192 + 56 * puts.size());
    e.i64(mountEpoch).i32(view).i64(first).i64(last).i64(prevNum).i64(acked);
    durable.encode(e);
    e.i32(participants.leader).i32(prevLeader.region).i32(prevLeader.epoch).bool(sync);
    e.list(participants.regions, Encoder::i32).list(participants.epochs, Encoder::i32);
    e.raw(volumeRoot);
    e.list(
        puts,
        (x, p) -> {
          x.i64(p.seq()).i64(p.local()).i32(p.count()).bool(p.zero());
          if (!p.zero()) {
            x.raw(p.leafHash());
          }
        });
    return e.toBytes();
  }

  public static SubBatch decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(ByteBuffer.wrap(in));
    long mountEpoch = d.i64();
    int view = d.i32();
    long first = d.i64();
    long last = d.i64();
    long prevNum = d.i64();
    long acked = d.i64();
    Durable durable = Durable.decode(d);
    int leader = d.i32();
    PrevLeader prevLeader = new PrevLeader(d.i32(), d.i32());
    boolean sync = d.bool();
    SubBatch b =
        new SubBatch(
            mountEpoch,
            view,
            first,
            last,
            prevNum,
            acked,
            durable,
            new Participants(leader, d.list(Decoder::i32), d.list(Decoder::i32)),
            prevLeader,
            sync,
            d.raw(HASH),
            d.list(SubBatch::put));
    d.end();
    b.check();
    return b;
  }

  private static Put put(Decoder d) throws MalformedException {
    long seq = d.i64();
    long local = d.i64();
    int count = d.i32();
    return new Put(seq, local, count, d.bool() ? null : d.raw(HASH));
  }

  private void check() throws MalformedException {
    long s = first - 1;
    for (Put p : puts) {
      if (p.seq() <= s
          || p.seq() > last
          || p.local() < 0
          || p.count() < 1
          || !p.zero() && p.count() != 1) {
        throw new MalformedException("PUT " + p + " in batch " + first + ".." + last);
      }
      s = p.seq();
    }
    if (first < 1
        || last < first
        || prevNum >= first
        || acked >= first
        || durable.seq() > acked
        || !participants.areWhole()) {
      throw new MalformedException(
          "batch " + first + ".." + last + " after " + prevNum + ", acked " + acked);
    }
  }
}
