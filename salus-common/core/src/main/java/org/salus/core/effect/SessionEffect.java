package org.salus.core.effect;

import java.util.List;

/**
 * One thing that a volume's session asks of its host. Buffers are read, never changed; the host
 * duplicates what it needs longer.
 */
public sealed interface SessionEffect
    permits Send,
        Stalled,
        SessionEffect.Outcome,
        SessionEffect.Mounted,
        SessionEffect.Ended,
        SessionEffect.LookUp,
        SessionEffect.WentBack,
        SessionEffect.Report,
        SessionEffect.Disagree,
        SessionEffect.Unreadable,
        SessionEffect.Readable {

  /** Has the host perform this: calls the handler's method for it. */
  void performBy(Handler handler);

  /**
   * What a host does for each effect. It has a method for each, so a host that forgets one does not
   * compile.
   */
  interface Handler {
    void send(Send effect);

    void done(Done effect);

    void zeroMap(ZeroMap effect);

    void failed(Failed effect);

    void mounted(Mounted effect);

    void ended(Ended effect);

    void lookUp(LookUp effect);

    void wentBack(WentBack effect);

    void stalled(Stalled effect);

    void report(Report effect);

    void disagree(Disagree effect);

    void unreadable(Unreadable effect);

    void readable(Readable effect);
  }

  /** A request has ended. */
  sealed interface Outcome extends SessionEffect permits Done, ZeroMap, Failed {
    /** The request's. */
    long id();
  }

  /** A request is done: a read's buffer is filled, a write or flush is acknowledged. */
  record Done(long id) implements Outcome {
    @Override
    public void performBy(Handler handler) {
      handler.done(this);
    }
  }

  /**
   * Which of the blocks from the one that was asked for read as zeros: at least one block is told
   * of.
   */
  record ZeroMap(long id, List<Run> runs) implements Outcome {
    @Override
    public void performBy(Handler handler) {
      handler.zeroMap(this);
    }
  }

  /** A run of blocks of one kind; neighbours differ. */
  record Run(long blocks, boolean zero) {}

  /** A request failed; nothing of it will become visible unless {@code why} says so. */
  record Failed(long id, SessionError why) implements Outcome {
    @Override
    public void performBy(Handler handler) {
      handler.failed(this);
    }
  }

  /** The session has mounted the volume and takes requests. */
  record Mounted() implements SessionEffect {
    @Override
    public void performBy(Handler handler) {
      handler.mounted(this);
    }
  }

  /** The session is over; every request has failed or fails with this. */
  record Ended(SessionError why) implements SessionEffect {
    @Override
    public void performBy(Handler handler) {
      handler.ended(this);
    }
  }

  /** The RRS of a region seems to have changed: look it up again and report {@code onRrs}. */
  record LookUp(int region) implements SessionEffect {
    @Override
    public void performBy(Handler handler) {
      handler.lookUp(this);
    }
  }

  /**
   * Writes after {@code prefix} up to {@code acked}, which the mount before had acknowledged, were
   * lost by all replicas of a region before anything had made them durable, as in a power cut of
   * every server: the volume is as it was after {@code prefix}.
   */
  record WentBack(long prefix, long acked) implements SessionEffect {
    @Override
    public void performBy(Handler handler) {
      handler.wentBack(this);
    }
  }

  /**
   * Something is not as it should be: tell operators.
   *
   * @param epoch of the region in which it was seen; 0 when that does not matter
   * @param lane whose member it is about; -1 where it ends the session, whose {@code Failed} and
   *     {@code Ended} follow
   * @param wrong the member answered with what the volume tree does not confirm, and another member
   *     rightly, or refused for a reason that cannot be: the master is to hear of it
   */
  record Report(int region, int epoch, int lane, boolean wrong, String what)
      implements SessionEffect {
    /** About no answer of a member. */
    public Report(int region, int lane, String what) {
      this(region, 0, lane, false, what);
    }

    @Override
    public void performBy(Handler handler) {
      handler.report(this);
    }
  }

  /**
   * Members say at a mount what cannot all be true, and nobody has proved whose word is wrong: the
   * master is to go on with others beside them. The mount waits for that.
   *
   * @param lane whose member differs from two others; where all three differ one of them, by turns
   */
  record Disagree(int region, int epoch, int lane, String what) implements SessionEffect {
    @Override
    public void performBy(Handler handler) {
      handler.disagree(this);
    }
  }

  /**
   * No member of a region has these blocks as the volume tree says; reads of them are tried again
   * until their time is over.
   *
   * @param blocks of the volume, sorted
   * @param what each member answered
   */
  record Unreadable(int region, List<Long> blocks, String what) implements SessionEffect {
    @Override
    public void performBy(Handler handler) {
      handler.unreadable(this);
    }
  }

  /** Blocks that were {@link Unreadable} are there again, or written anew. */
  record Readable(List<Long> blocks) implements SessionEffect {
    @Override
    public void performBy(Handler handler) {
      handler.readable(this);
    }
  }
}
