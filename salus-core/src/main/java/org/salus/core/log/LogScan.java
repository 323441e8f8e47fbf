package org.salus.core.log;

import java.util.ArrayList;
import java.util.List;
import org.salus.core.message.Message.SegmentEnd;
import org.salus.core.wire.MalformedException;

/**
 * What a member finds in its own replicas of a region's log before an epoch opens (paper §4.4, phase 2): how far each is
 * valid, and where one that is not proves that the log went on. The host tells of all segments, the oldest first. Not
 * thread-safe.
 */
public final class LogScan {
  private final List<SegmentEnd> ends = new ArrayList<>();
  private final List<SegmentEnd> proven = new ArrayList<>();
  private int newestEpoch;

  /** A segment whose file is complete: it counts to its end, for replay will find a replica that is valid. */
  public void finished(SegmentEnd s) {
    ends.add(s);
  }

  /**
   * Reads a segment whose file is open.
   *
   * @param reader of the own replica, from its beginning
   * @param length of the own replica in bytes
   * @param known how far this server has written it and need not read it again, or null
   */
  public void open(LogReader reader, long length, LogReader.Mark known) {
    LogRecord head = reader.next();
    if (head != null) {
      wentOn(head);
    }
    if (known != null && known.end() > reader.end() && known.end() <= length) {
      reader.resume(known);
    }
    while (reader.next() != null) {
      continue;
    }
    newestEpoch = Math.max(newestEpoch, reader.epoch());
    ends.add(new SegmentEnd(reader.segment(), reader.end()));
    proves(reader.segment(), reader.end(), reader.provenEnd(length));
    proves(reader.segment(), reader.end(), known == null ? 0 : known.end());
  }

  /**
   * A segment whose file is open, and of which this member has no replica.
   *
   * @param known how far this server has written it, or null
   * @param leftBehind whether this member has one that a recovery went on without: so the segment was not empty
   */
  public void missing(long segment, LogReader.Mark known, boolean leftBehind) {
    ends.add(new SegmentEnd(segment, 0));
    proves(segment, 0, Math.max(leftBehind ? 1 : 0, known == null ? 0 : known.end()));
  }

  private void proves(long segment, long valid, long reached) {
    if (reached > valid) {
      proven.add(new SegmentEnd(segment, reached));
    }
  }

  /** The manifest at a segment's head was certified when all of the log before it was. */
  private void wentOn(LogRecord manifest) {
    try {
      for (SegmentEnd s : ManifestBody.decode(manifest.content()).segments()) {
        if (ends.stream().anyMatch(own -> own.segment() == s.segment() && own.length() < s.length())) {
          proven.add(s);
        }
      }
    } catch (MalformedException e) {
      throw new IllegalStateException("certified record " + manifest + " cannot be read", e);
    }
  }

  /** How far each segment is valid. */
  public List<SegmentEnd> ends() {
    return ends;
  }

  /** How far the log has come in segments of which the own replica is not valid so far. */
  public List<SegmentEnd> proven() {
    return proven;
  }

  /** The newest epoch in the segments that were read, 0 if there is none. */
  public int newestEpoch() {
    return newestEpoch;
  }
}
