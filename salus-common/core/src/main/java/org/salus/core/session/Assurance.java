package org.salus.core.session;

import java.util.Map;
import java.util.TreeMap;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.effect.Send;
import org.salus.core.log.Relied;
import org.salus.core.message.Message.Acknowledged;

/**
 * Tells the members of each new epoch what the session's user relies on in their region (paper
 * §2.1). They may not be there yet, and messages are lost, so it says that again and again for a
 * while, whether or not the epoch is said to serve: a wrong server may say so. What it says stays
 * true, because no vote of an older epoch counts any more.
 */
final class Assurance {
  /** The pause before it is said for the second time. Each pause is twice the one before. */
  private static final long FIRST_PAUSE_NANOS = 20_000_000;

  /** How often it is said: for about a minute and a half. */
  private static final int MOST_TIMES = 13;

  /** A word that is said again. */
  private record Word(Acknowledged said, long nextAt, int times) {}

  private final SessionContext c;
  private final Map<Integer, Word> words = new TreeMap<>();

  Assurance(SessionContext c) {
    this.c = c;
  }

  /** A region has a new epoch. */
  void begin(int region, Relied user, long now) {
    Acknowledged said =
        Acknowledged.sign(c.spec.regionId(region), c.epochs[region], user, c.signer);
    words.put(region, say(region, said, 0, now));
  }

  void onTick(long now) {
    words.replaceAll((region, w) -> now < w.nextAt ? w : say(region, w.said, w.times, now));
    words.values().removeIf(w -> w.times >= MOST_TIMES);
  }

  private Word say(int region, Acknowledged said, int times, long now) {
    for (int lane = 0; lane < Lanes.COUNT; lane++) {
      c.out(new Send(new Endpoint.Member(c.spec.regionId(region), lane), said, null));
    }
    return new Word(said, now + (FIRST_PAUSE_NANOS << times), times + 1);
  }
}
