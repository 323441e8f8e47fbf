package org.salus.core.effect;

import java.util.List;

/**
 * One thing that a volume's session asks of its host. The host reads buffers and never changes
 * them; it duplicates what it needs longer.
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
   * Performs effects, at the host. It has a method for each, so a host that forgets one does not
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
    /** The request's id. */
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
   * Tells which blocks read as zeros, from the first block of the request on. It covers one block
   * or more.
   */
  record ZeroMap(long id, List<Run> runs) implements Outcome {
    @Override
    public void performBy(Handler handler) {
      handler.zeroMap(this);
    }
  }

  /** A run of blocks of one kind; neighbours differ. */
  record Run(long blocks, boolean zero) {}

  /**
   * A request failed.
   *
   * @param inDoubt whether it is a change of which something was sent, so that it may have taken
   *     effect, or may yet. Otherwise it never takes effect
   */
  record Failed(long id, SessionError why, boolean inDoubt) implements Outcome {
    /** The failure of a request that has no effect. */
    public Failed(long id, SessionError why) {
      this(id, why, false);
    }

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
   * Writes after {@code prefix} had been acknowledged, up to {@code acked}. All replicas of a
   * region lost them before they were durable, as in a power cut of every server. The session waits
   * until the host has noted that durably and says so, see {@code VolumeSession.noted}.
   *
   * @param prefix the volume is as it was after it. If {@code served}, it has at least that
   * @param served whether this session has lost what it acknowledged itself. Its requests have
   *     failed then, and {@code Ended} follows the note. Otherwise its mount has found that earlier
   *     ones lost it; the session ends after the note if its user relies on one of the writes
   */
  record WentBack(long prefix, long acked, boolean served) implements SessionEffect {
    @Override
    public void performBy(Handler handler) {
      handler.wentBack(this);
    }
  }

  /**
   * Tells operators that something is wrong.
   *
   * @param epoch the region's epoch in which it was seen; 0 if that does not matter
   * @param lane the lane of the member that it is about; -1 if it ends the session, whose {@code
   *     Failed} and {@code Ended} follow
   * @param wrong whether the member is proved wrong, so that the master must hear of it. The volume
   *     tree does not confirm its answer but another member's, or it refused for an impossible
   *     reason
   */
  record Report(int region, int epoch, int lane, boolean wrong, String what)
      implements SessionEffect {
    /** Makes a report that proves no answer of a member wrong. */
    public Report(int region, int lane, String what) {
      this(region, 0, lane, false, what);
    }

    @Override
    public void performBy(Handler handler) {
      handler.report(this);
    }
  }

  /**
   * Tells the master that members disagree at a mount, and nobody has proved which one is wrong.
   * The master should go on with others beside them. The mount waits for that.
   *
   * @param lane the lane whose member differs from two others; if all three differ, one of them in
   *     turn
   */
  record Disagree(int region, int epoch, int lane, String what) implements SessionEffect {
    @Override
    public void performBy(Handler handler) {
      handler.disagree(this);
    }
  }

  /**
   * No member of a region has these blocks as the volume tree says. Reads of them are tried again
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
