package org.salus.core.member;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.MemberEffect.Piece;
import org.salus.core.log.LogState;
import org.salus.core.log.LogState.Pending;
import org.salus.core.log.Put;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.PageReply;
import org.salus.core.message.Message.PageRequest;
import org.salus.core.tree.TreeShape;

/** Answers GETs and page requests from what is committed in this lane (paper §4.1, §4.3). */
final class ReadService {
  private final RegionContext c;
  private final PageLoader loader;
  private final Reads waiting = new Reads();

  /** Page requests that wait for leaf hashes. */
  private final Reads loading = new Reads();

  ReadService(RegionContext c, PageLoader loader) {
    this.c = c;
    this.loader = loader;
  }

  void request(Endpoint from, Message m) {
    boolean get = m instanceof GetRequest;
    int epoch = get ? ((GetRequest) m).epoch() : ((PageRequest) m).epoch();
    long mountEpoch = get ? ((GetRequest) m).mountEpoch() : ((PageRequest) m).mountEpoch();
    if (epoch != c.epoch) {
      c.refuse(from, 0, new LogState.No(Refusal.WRONG_EPOCH, 0));
    } else if (mountEpoch < c.log.mountEpoch()) {
      c.refuse(from, 0, new LogState.No(Refusal.FENCED, 0));
    } else if (from.equals(c.session()) && c.log.resolved() && c.serving) {
      Reads.Waiting read =
          get
              ? new Reads.Waiting(from, m, ((GetRequest) m).prevNum(), ((GetRequest) m).acked())
              : new Reads.Waiting(from, m, ((PageRequest) m).prevNum(), ((PageRequest) m).acked());
      LogState.No lost = c.rules.lost(read.prevNum(), read.acked(), c.log.lastSeq());
      if (lost != null) {
        c.refuse(from, 0, lost);
        return;
      }
      waiting.add(read);
      release();
    }
  }

  /** Serves the reads that the watermark allows by now. */
  void release() {
    if (waiting.size() > 0) {
      long watermark = c.watermark();
      waiting.release(w -> c.rules.mayServe(w.prevNum(), watermark, w.acked()), this::serve);
    }
  }

  /** The reads that wait for the watermark. */
  List<Message> uncommitted() {
    return waiting.requests();
  }

  /** The page requests that wait for leaf hashes. */
  List<Message> unloaded() {
    return loading.requests();
  }

  /** Forgets all reads: their mount is over. */
  void clear() {
    waiting.clear();
    loading.clear();
  }

  private void serve(Reads.Waiting w) {
    if (w.request() instanceof GetRequest g) {
      get(w, g);
    } else {
      page(w);
    }
  }

  /** Answers a page request, or lets it wait for leaf hashes from checkpoints. */
  private void page(Reads.Waiting w) {
    PageRequest p = (PageRequest) w.request();
    if (!new TreeShape(c.spec.regionBlocks()).has(p.level(), p.index())) {
      return;
    }
    byte[] children = c.index.children(p.level(), p.index(), c.visible(w.acked()));
    if (children != null) {
      c.out.send(w.from(), new PageReply(p.id(), c.place, children));
    } else {
      loading.add(w);
      loader.request();
    }
  }

  /**
   * Retries the page requests that wait, and asks again for the leaf hashes that they still lack.
   */
  void retryPages() {
    loading.takeAll().forEach(this::page);
  }

  private void get(Reads.Waiting w, GetRequest g) {
    if (g.count() < 1
        || g.count() > c.spec.stripeBlocks()
        || g.local() < 0
        || g.local() > c.spec.regionBlocks() - g.count()) {
      return;
    }
    long[] at = new long[g.count()];
    for (int i = 0; i < at.length; i++) {
      at[i] = c.index.locate(g.local() + i);
    }
    c.visible(w.acked()).forEach(p -> overlay(p, g.local(), at));
    c.out.add(
        new MemberEffect.ServeGet(
            w.from(),
            g.id(),
            c.place,
            g.local(),
            g.count(),
            pieces(at),
            c.log.checkpoints().newestFirst()));
  }

  private void overlay(Pending p, long first, long[] at) {
    long offset = p.payloadOffset();
    for (Put put : p.batch().puts()) {
      long from = Math.max(0, put.local() - first);
      long to = Math.min(at.length, put.local() + put.count() - first);
      if (from < to) {
        Arrays.fill(
            at,
            (int) from,
            (int) to,
            put.zero() ? RegionIndex.ZERO : RegionIndex.location(p.at().segment(), offset));
      }
      offset += put.zero() ? 0 : c.spec.blockSize();
    }
  }

  private List<Piece> pieces(long[] at) {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < at.length; ) {
      boolean log = at[i] >= 0;
      int run = 1;
      while (i + run < at.length
          && at[i + run] == at[i] + (log ? (long) run * c.spec.blockSize() : 0)) {
        run++;
      }
      Piece.Kind kind =
          log
              ? Piece.Kind.LOG
              : at[i] == RegionIndex.ZERO ? Piece.Kind.ZERO : Piece.Kind.CHECKPOINT;
      pieces.add(
          new Piece(
              kind,
              run,
              log ? RegionIndex.segment(at[i]) : 0,
              log ? RegionIndex.offset(at[i]) : 0));
      i += run;
    }
    return pieces;
  }
}
