package org.salus.client.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.salus.core.Reason;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeDirectory;

/**
 * Says what a volume waits for, and when it is time to log it: after 5 s, then every 15 s. Not
 * thread-safe.
 */
public final class WaitReason {
  private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(15);
  private static final int MOST = 3;

  private long toldAt;
  private boolean told;

  /**
   * Whether it is time for the next log line about a wait that began at {@code since}. Times are in
   * nanoseconds.
   */
  public boolean isDue(long since, long now) {
    boolean due = now - since >= FIRST_NANOS && (!told || now - toldAt >= EVERY_NANOS);
    if (due) {
      told = true;
      toldAt = now;
    }
    return due;
  }

  /**
   * Describes what keeps a volume from answering.
   *
   * @param trouble what keeps all volumes from what they should do
   * @param answering whether servers have just answered other requests
   */
  static String of(
      VolumeSpec spec, VolumeDirectory directory, Optional<Reason> trouble, boolean answering) {
    String regions = regions(spec, directory);
    return trouble.isEmpty()
        ? regions.isEmpty() ? whileServing(List.copyOf(directory.nodes()), answering) : regions
        : with(trouble, regions);
  }

  public static String whileServing(List<String> nodes, boolean answering) {
    return answering
        ? "every region serves, and other requests are answered: more are outstanding than the"
            + " servers perform in this time, or one of "
            + nodes
            + " is slow"
        : "every region serves, but not all of " + nodes + " answer";
  }

  /**
   * Puts the trouble of all volumes, which is mostly the reason of the rest, before other words.
   */
  public static String with(Optional<Reason> trouble, String words) {
    return join(trouble.map(Reason::words).orElse(""), words);
  }

  public static String join(String first, String second) {
    return first + (first.isEmpty() || second.isEmpty() ? "" : "; ") + second;
  }

  /** The regions that do not serve, in words. */
  private static String regions(VolumeSpec spec, VolumeDirectory directory) {
    List<String> waiting = new ArrayList<>();
    for (int r = 0; r < spec.regionCount(); r++) {
      Optional<Versioned<RrsRecord>> now = directory.rrs(r);
      if (now.isEmpty() || now.get().value().state() != RrsRecord.State.SERVING) {
        waiting.add(region(r, now.map(Versioned::value).orElse(null)));
      }
    }
    int more = waiting.size() - MOST;
    return String.join(", ", waiting.subList(0, Math.min(MOST, waiting.size())))
        + (more > 0 ? " and " + more + " more regions" : "");
  }

  /** Describes a region that does not serve; {@code rrs} may be null. */
  public static String region(int index, RrsRecord rrs) {
    return "region "
        + index
        + (rrs == null
            ? " has no members yet (a new volume needs three servers)"
            : " is "
                + rrs.state()
                + " in epoch "
                + rrs.epoch()
                + (rrs.note().isEmpty() ? "" : " (" + rrs.note() + ")"));
  }
}
