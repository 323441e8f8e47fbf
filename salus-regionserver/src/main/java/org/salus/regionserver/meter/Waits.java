package org.salus.regionserver.meter;

import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.salus.core.Endpoint;
import org.salus.core.effect.MemberEffect.ServeGet;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.PageRequest;
import org.salus.host.zk.WaitsRecord.Cause;

/**
 * The requests that wait at this server's member of one region, by what they wait for. The member
 * says some times a second which ones wait, so the path of a request has nothing to note. A request
 * waits for a cause since the look that saw it so first. It holds what the member holds, which is
 * bounded. Thread-safe.
 */
public final class Waits {
  /** A request is slow when it has waited so long, as in the statistics of a volume's handle. */
  public static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** For so long after something has waited long, people hear of it. */
  static final long LATELY_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Takes the number of requests that have become slow. */
  interface Slow {
    void more(Cause cause, int requests);
  }

  /**
   * A member's place in its epoch, which tells whom its requests wait for.
   *
   * @param after the members after it in the chain
   * @param dataNode that of its replicas
   */
  public record Place(int epoch, List<String> after, String dataNode) {
    List<String> awaited(Cause cause) {
      return switch (cause) {
        case WATERMARK -> List.of(); // members of other regions, too
        case CHAIN -> after;
        case DISK, OPEN, APPEND -> List.of(dataNode); // it, or others whose names nobody knows
      };
    }
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
   * What the last look saw of one cause. Immutable.
   *
   * @param waiting the number of waiting requests
   * @param since when the oldest of them was seen first, of {@link System#nanoTime}; no matter if
   *     none waits
   * @param looked when this was seen, of the same clock
   * @param slow how many requests have waited more than a second, in this epoch and in those before
   * @param last the last look that saw one of these wait, or null
   * @param where the member's place then
   */
  public record Seen(
      Cause cause, int waiting, long since, long looked, long slow, Look last, Place where) {
    /** Whether something waits long. */
    public boolean isLong() {
      return waiting > 0 && looked - since >= SLOW_NANOS;
    }

    /**
     * Whether people are to hear of it: something waits long, or has done so lately.
     *
     * @param now of {@link System#nanoTime}
     */
    public boolean isTold(long now) {
      return isLong() || last != null && now - last.nanos() < LATELY_NANOS;
    }

    /** When one of the slow requests was last seen to wait, in ms since 1970; 0 for never. */
    public long lastSlow() {
      return last == null ? 0 : last.millis();
    }

    /** For how many nanoseconds the oldest request has waited; 0 if none waits. */
    public long oldest(long now) {
      return waiting == 0 ? 0 : Math.max(0, now - since);
    }

    /** Whom its requests wait for. */
    public List<String> awaited() {
      return where.awaited(cause);
    }

    /** The same when nothing waits any more, as of a look now. */
    private Seen quiet(long now) {
      return new Seen(cause, 0, 0, 0, slow, isLong() ? Look.at(now) : last, where);
    }
  }

  /**
   * When somebody looked.
   *
   * @param nanos of {@link System#nanoTime}
   * @param millis since 1970, for people
   */
  public record Look(long nanos, long millis) {
    static Look at(long now) {
      return new Look(now, System.currentTimeMillis());
    }
  }

  private final Place place;
  private final Slow slow;
  private final Map<Cause, Map<Object, Long>> since = new EnumMap<>(Cause.class);
  private final Map<Cause, Seen> seen = new EnumMap<>(Cause.class);
  private long looked = System.nanoTime() - PAUSE_NANOS;
  private boolean ended;

  /**
   * @param before what was seen of the member before, if there was one on this server: how many
   *     were slow counts on
   */
  Waits(Place place, Slow slow, Collection<Seen> before) {
    this.place = place;
    this.slow = slow;
    before.forEach(s -> seen.put(s.cause(), s.quiet(System.nanoTime())));
  }

  /** Whether it is time to look at the member again. */
  public synchronized boolean asks(long now) {
    return now - looked >= PAUSE_NANOS;
  }

  /**
   * Takes what waits now. Of a member that has ended, nothing waits.
   *
   * @param waiting names requests; a cause that is missing has none
   */
  public synchronized void hears(Map<Cause, ? extends Collection<?>> waiting, long now) {
    if (!ended) {
      for (Cause cause : Cause.values()) {
        hears(cause, waiting.containsKey(cause) ? waiting.get(cause) : List.of(), now);
      }
      looked = now;
    }
  }

  private void hears(Cause cause, Collection<?> waiting, long now) {
    Map<Object, Long> before = since.getOrDefault(cause, Map.of());
    Map<Object, Long> all = new HashMap<>();
    long oldest = now;
    int more = 0;
    for (Object request : waiting) {
      long first = before.getOrDefault(request, now);
      all.put(request, first);
      oldest = first - oldest < 0 ? first : oldest;
      more += now - first >= SLOW_NANOS && looked - first < SLOW_NANOS ? 1 : 0;
    }
    since.put(cause, all);
    Seen last = seen.getOrDefault(cause, new Seen(cause, 0, 0, 0, 0, null, place));
    boolean isLong = now - oldest >= SLOW_NANOS;
    seen.put(
        cause,
        new Seen(
            cause,
            all.size(),
            oldest,
            now,
            last.slow() + more,
            isLong ? Look.at(now) : last.last(),
            isLong ? place : last.where()));
    slow.more(cause, more);
  }

  /** The member has ended: nothing waits there any more. */
  synchronized void end() {
    ended = true;
    since.clear();
    long now = System.nanoTime();
    seen.replaceAll((cause, last) -> last.quiet(now));
  }

  /** What the last look saw, a line for each cause; of causes never looked at, none. */
  public synchronized List<Seen> seen() {
    return List.copyOf(seen.values());
  }
}
