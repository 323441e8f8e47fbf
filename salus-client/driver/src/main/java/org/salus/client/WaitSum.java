package org.salus.client;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The requests that wait in a volume. A read waits at one member of a region, a sub-batch at each:
 * of sub-batches, a region counts as its member with the most. Other members may have waited in
 * other epochs, so that count is a least one. A write to several regions has a sub-batch in each.
 * Immutable.
 *
 * @param reads the number of reads that wait long
 * @param batches the number of sub-batches that wait long
 * @param oldestMillis for how long the oldest of them has waited, in ms; 0 if none waits
 * @param slowReads how many reads have waited more than a second at a member
 * @param slowBatches at least how many sub-batches have
 * @param lastSlow when one was last seen that had waited so long, or null
 */
public record WaitSum(
    long reads,
    long batches,
    long oldestMillis,
    long slowReads,
    long slowBatches,
    Instant lastSlow) {

  static WaitSum of(List<VolumeInfo.Region> regions) {
    List<List<List<Wait>>> all = regions.stream().map(WaitSum::byServer).toList();
    List<Wait> each = all.stream().flatMap(List::stream).flatMap(List::stream).toList();
    return new WaitSum(
        sum(each, true, Wait::waiting),
        all.stream().mapToLong(r -> most(r, Wait::waiting)).sum(),
        each.stream().mapToLong(Wait::oldestMillis).max().orElse(0),
        sum(each, true, Wait::slow),
        all.stream().mapToLong(r -> most(r, Wait::slow)).sum(),
        each.stream()
            .map(Wait::lastSlow)
            .filter(Objects::nonNull)
            .max(Comparator.naturalOrder())
            .orElse(null));
  }

  private static List<List<Wait>> byServer(VolumeInfo.Region r) {
    return Stream.concat(
            r.members().stream().map(VolumeInfo.Member::waits),
            r.former().stream().map(VolumeInfo.Former::waits))
        .toList();
  }

  private static long most(List<List<Wait>> servers, ToLongFunction<Wait> what) {
    return servers.stream().mapToLong(s -> sum(s, false, what)).max().orElse(0);
  }

  private static long sum(List<Wait> waits, boolean ofReads, ToLongFunction<Wait> what) {
    return waits.stream().filter(w -> w.isOfReads() == ofReads).mapToLong(what).sum();
  }

  /** What waits, in words; empty if nothing does. */
  public String words() {
    String now =
        reads + batches == 0
            ? ""
            : String.format(
                Locale.ROOT,
                "waiting: %d reads, %d batches, the oldest %d s",
                reads,
                batches,
                oldestMillis / 1000);
    String before =
        lastSlow == null
            ? ""
            : String.format(
                Locale.ROOT,
                "slow: %d reads, at least %d batches, the last at %s",
                slowReads,
                slowBatches,
                lastSlow);
    return now + (now.isEmpty() || before.isEmpty() ? "" : "; ") + before;
  }
}
