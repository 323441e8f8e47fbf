package org.salus.regionserver.hdfs;

import java.io.IOException;
import org.salus.core.log.SegmentEnd;

/** Says that no replica of a segment is valid to its end. */
public final class ShortSegmentException extends IOException {
  private static final long serialVersionUID = 1;
  private final transient SegmentEnd segment;

  ShortSegmentException(SegmentEnd segment, String what) {
    super(what);
    this.segment = segment;
  }

  /** The segment and the length that it should have. */
  public SegmentEnd segment() {
    return segment;
  }
}
