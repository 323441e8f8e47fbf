package org.salus.dist.cli;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.salus.client.VolumeInfo;

/** What {@code salus top} shows: each look at the volumes, beside the one before. */
final class TopTable {
  private static final String ROW = "%-20s %-11s %7s %10s %9s %9s %11s  %s%n";
  private static final double NANOS = 1e9;
  private static final List<String> HEALTH = List.of("healthy", "degraded", "unavailable");
  private static final String NOT_KNOWN = "-";

  /** The newest committed change of each volume, by its id, at the last look. */
  private final Map<String, Long> committed = new HashMap<>();

  private long last;

  /**
   * Writes a look at the volumes. Those that are not healthy come first, then the busiest.
   *
   * @param absent names of volumes that are not there
   * @param at when this was so, for people
   * @param nanos when this was so, for rates
   */
  String of(List<VolumeInfo> volumes, List<String> absent, Instant at, long nanos) {
    double seconds = (nanos - last) / NANOS;
    List<Row> rows =
        volumes.stream().map(v -> new Row(v, rate(v, seconds))).sorted(Row::compare).toList();
    committed.clear();
    volumes.forEach(v -> committed.put(v.id(), newest(v)));
    last = nanos;
    StringBuilder text = new StringBuilder();
    text.append("salus top, ").append(at.truncatedTo(ChronoUnit.SECONDS)).append(": ");
    text.append(volumes.size()).append(" in all");
    String before = ": ";
    for (String health : HEALTH) {
      long n = volumes.stream().filter(v -> v.health().equals(health)).count();
      text.append(before).append(n).append(' ').append(health);
      before = ", ";
    }
    absent.forEach(name -> text.append("; no volume ").append(name));
    text.append(String.format("%n%n"));
    text.append(
        String.format(
            ROW,
            "VOLUME",
            "STATE",
            "REGIONS",
            "CHANGES/S",
            "BYTES/S",
            "LOG",
            "CHECKPOINTS",
            "MOUNTED BY, OR WHY NOT HEALTHY"));
    rows.forEach(r -> text.append(r.line()));
    return text.toString();
  }

  /** The first lines of a text, and how many are left out. */
  static String cut(String text, int most) {
    List<String> lines = text.lines().toList();
    if (lines.size() <= most) {
      return text;
    }
    String left = String.format("and %d more%n", lines.size() - most + 1);
    return lines.stream()
            .limit(most - 1L)
            .map(line -> String.format("%s%n", line))
            .collect(Collectors.joining())
        + left;
  }

  /** Committed changes a second since the last look; negative if that is not known. */
  private double rate(VolumeInfo v, double seconds) {
    Long before = committed.get(v.id());
    long now = newest(v);
    return before == null || before < 0 || now < before ? -1 : (now - before) / seconds;
  }

  /** The newest change that a member knows to be committed; -1 if none answers. */
  private static long newest(VolumeInfo v) {
    return statuses(v).mapToLong(VolumeInfo.Status::watermark).max().orElse(-1);
  }

  private static Stream<VolumeInfo.Status> statuses(VolumeInfo v) {
    return v.regions().stream()
        .flatMap(r -> r.members().stream())
        .map(VolumeInfo.Member::status)
        .filter(Objects::nonNull);
  }

  /** A number with a unit of 1024, in four characters or so. */
  private static String brief(double bytes) {
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < 4) {
      value /= 1024;
      unit++;
    }
    String form = unit == 0 || value >= 100 ? "%.0f%s" : "%.1f%s";
    return String.format(Locale.ROOT, form, value, "BKMGT".charAt(unit));
  }

  private record Row(VolumeInfo v, double changes) {
    static int compare(Row a, Row b) {
      int byHealth = HEALTH.indexOf(b.v.health()) - HEALTH.indexOf(a.v.health());
      int byWork = Double.compare(b.changes, a.changes);
      return byHealth != 0 ? byHealth : byWork != 0 ? byWork : a.v.name().compareTo(b.v.name());
    }

    private static String sum(LongStream bytes) {
      long[] all = bytes.toArray();
      return all.length == 0 ? NOT_KNOWN : brief(LongStream.of(all).sum());
    }

    String line() {
      String holder = v.writer() == null ? NOT_KNOWN : v.writer().holder();
      boolean isKnown = changes >= 0 && v.shape() != null;
      return String.format(
          ROW,
          v.name(),
          v.deleting() ? "deleting" : v.health(),
          v.regions().size(),
          changes < 0 ? NOT_KNOWN : String.format(Locale.ROOT, "%.0f", changes),
          isKnown ? brief(changes * v.shape().blockSize()) : NOT_KNOWN,
          sum(statuses(v).mapToLong(VolumeInfo.Status::segmentBytes)),
          sum(statuses(v).mapToLong(VolumeInfo.Status::checkpointBytes)),
          // A terminal would obey some of them, and these are other programs' words.
          (v.why().isEmpty() ? holder : v.why()).replaceAll("\\p{Cntrl}", "?"));
    }
  }
}
