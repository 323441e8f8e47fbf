package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongPredicate;
import org.salus.core.path.FilePath.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log segments that one member has open to read. Thread-safe. */
final class OpenSegments {
  private static final Logger LOG = LoggerFactory.getLogger(OpenSegments.class);

  private final RegionFiles files;
  private final OpenFiles<Long, SegmentReplicas> open;
  private final Damage damage;

  /**
   * @param damage is told of every failed read
   */
  OpenSegments(RegionFiles files, OpenFiles<Long, SegmentReplicas> open, Damage damage) {
    this.files = files;
    this.open = open;
    this.damage = damage;
  }

  /**
   * Returns a segment and opens it if necessary.
   *
   * @throws IOException when no replica can be opened, or after {@link #end}
   */
  SegmentReplicas open(long segment) throws IOException {
    SegmentReplicas replicas = open.get(segment, () -> SegmentReplicas.of(files, segment));
    if (replicas == null) {
      throw new IOException("the epoch is over");
    }
    return replicas;
  }

  /**
   * Fills {@code dst} from the open replica. Returns false when the replica is too short or cannot
   * be read.
   */
  boolean read(long segment, long position, ByteBuffer dst) {
    boolean read = false;
    try {
      read = open(segment).read(position, dst);
    } catch (IOException e) {
      LOG.debug(
          "{} cannot be read",
          files.path(Kind.LOG, segment),
          e); // an expected fault: the session asks another member
    }
    if (!read) {
      damage.noticed(Kind.LOG, segment);
    }
    return read;
  }

  /** Reads like {@link #read}, but also returns false where it would have to wait. */
  boolean readAtOnce(long segment, long position, ByteBuffer dst) {
    SegmentReplicas replicas = open.get(segment);
    return replicas != null && replicas.readAtOnce(position, dst);
  }

  /** Closes a segment. The next read opens it again. */
  void close(long segment) {
    open.close(segment);
  }

  void closeAll(LongPredicate which) {
    open.closeAll(which::test);
  }

  /** Closes all segments for good. */
  void end() {
    open.end();
  }
}
