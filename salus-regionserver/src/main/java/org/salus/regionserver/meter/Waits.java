package org.salus.regionserver.meter;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.salus.core.Endpoint;
import org.salus.core.effect.MemberEffect.ServeGet;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.PageRequest;

/**
 * The requests that wait at this server's member of one region. The member says some times a second
 * which ones wait, so the path of a request has nothing to note. A request waits since the look
 * that saw it first. It holds what the member holds, which is bounded. Only the region's loop calls
 * what changes it; any thread may look.
 */
public final class Waits {
  /** A request is slow when it has waited so long, as in the statistics of a volume's handle. */
  public static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long LATELY_MILLIS = TimeUnit.MINUTES.toMillis(10);

  static final String READ = "read";
  static final String BATCH = "batch";

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Takes the numbers of reads and of batches that have become slow. */
  interface Slow {
    void more(int reads, int batches);
  }

  /**
   * Names a GET or a page request.
   *
   * @param page whether it asks for a page of the tree
   */
  public record Read(boolean page, long mountEpoch, long id) {
    /** Names a request that waits at the member itself. */
    public static Read of(Message m) {
      return m instanceof GetRequest g
          ? new Read(false, g.mountEpoch(), g.id())
          : new Read(true, ((PageRequest) m).mountEpoch(), ((PageRequest) m).id());
    }

    /** Names a GET that waits for the disk. */
    public static Read of(ServeGet g) {
      return new Read(false, ((Endpoint.Session) g.to()).mountEpoch(), g.id());
    }
  }

  /**
   * What the last look saw. Immutable.
   *
   * @param reads the number of waiting reads
   * @param batches the number of waiting sub-batches
   * @param since when the oldest of them was seen first, of {@link System#nanoTime}; no matter if
   *     none waits
   * @param slow how many requests have waited more than a second since the member began
   * @param lastSlow when the last of these was found, in ms since 1970; 0 for never
   */
  public record Seen(int reads, int batches, long since, long slow, long lastSlow) {
    private static final Seen NOTHING = new Seen(0, 0, 0, 0, 0);

    /**
     * Whether people are to hear of it: something waits long, or has done so lately.
     *
     * @param now of {@link System#nanoTime}
     * @param millis the same in ms since 1970
     */
    public boolean isTold(long now, long millis) {
      return oldest(now) >= SLOW_NANOS || millis - lastSlow < LATELY_MILLIS;
    }

    /** For how many nanoseconds the oldest request has waited; 0 if none waits. */
    public long oldest(long now) {
      return reads + batches == 0 ? 0 : Math.max(0, now - since);
    }
  }

  private final Slow slow;
  private Map<Object, Long> since = Map.of();
  private long looked = System.nanoTime() - PAUSE_NANOS;

  /** Null before the first look. */
  private volatile Seen seen;

  Waits(Slow slow) {
    this.slow = slow;
  }

  /** Whether it is time to look at the member again. */
  public boolean asks(long now) {
    return now - looked >= PAUSE_NANOS;
  }

  /**
   * Takes what waits now.
   *
   * @param batches name sub-batches
   */
  public void hears(Collection<Read> reads, Collection<?> batches, long now) {
    Map<Object, Long> all = new HashMap<>();
    int slowReads = note(reads, all, now);
    int slowBatches = note(batches, all, now);
    Seen last = seen == null ? Seen.NOTHING : seen;
    int more = slowReads + slowBatches;
    seen =
        new Seen(
            reads.size(),
            batches.size(),
            all.values().stream().min((a, b) -> Long.signum(a - b)).orElse(now),
            last.slow + more,
            more == 0 ? last.lastSlow : System.currentTimeMillis());
    slow.more(slowReads, slowBatches);
    since = all;
    looked = now;
  }

  /** Returns how many of these have become slow since the last look. */
  private int note(Collection<?> waiting, Map<Object, Long> to, long now) {
    int more = 0;
    for (Object request : waiting) {
      long first = since.getOrDefault(request, now);
      to.put(request, first);
      more += now - first >= SLOW_NANOS && looked - first < SLOW_NANOS ? 1 : 0;
    }
    return more;
  }

  /** What the last look saw; empty before the first. Any thread may call it. */
  Optional<Seen> seen() {
    return Optional.ofNullable(seen);
  }
}
