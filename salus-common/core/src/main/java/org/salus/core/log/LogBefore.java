package org.salus.core.log;

import java.util.List;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The log before an epoch that serves, as all of the epoch's members have certified it in its first
 * manifest (paper §4.4, phase 2). In later epochs neither less nor more of it counts. Who was left
 * out of the epoch may have more. A segment that was begun by an epoch which never served is no
 * part of it, and no more is one that the manifest discards.
 *
 * @param epoch the epoch that serves; later ones that have begun a segment have not served
 * @param first the segment with which the epoch began; older ones are before it
 * @param segments the live segments before it, with their ends
 */
public record LogBefore(int epoch, long first, List<SegmentEnd> segments) {
  /** Nothing is known, because no epoch has served. So all counts. */
  public static final LogBefore NONE = new LogBefore(Integer.MAX_VALUE, 0, List.of());

  /** Copies the list. */
  public LogBefore {
    segments = List.copyOf(segments);
  }

  /** What an epoch's first manifest says of the log before it. */
  public static LogBefore of(LogRecord manifest) throws MalformedException {
    return new LogBefore(
        manifest.epoch(),
        manifest.at().segment(),
        ManifestBody.decode(manifest.content()).segments());
  }

  /** Whether nothing of a segment counts. */
  public boolean isVoid(long segment) {
    return limit(segment) == 0;
  }

  /** The most bytes of a segment that later epochs may have. */
  public long limit(long segment) {
    return segment >= first
        ? Long.MAX_VALUE
        : segments.stream()
            .filter(s -> s.segment() == segment)
            .mapToLong(SegmentEnd::length)
            .findFirst()
            .orElse(0);
  }

  public void write(Encoder e) {
    e.i32(epoch).i64(first).list(segments, (x, s) -> x.i64(s.segment()).i64(s.length()));
  }

  public static LogBefore read(Decoder d) throws MalformedException {
    return new LogBefore(d.i32(), d.i64(), d.list(x -> new SegmentEnd(x.i64(), x.i64())));
  }
}
