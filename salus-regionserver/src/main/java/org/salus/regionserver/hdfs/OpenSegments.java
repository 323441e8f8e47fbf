package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongPredicate;
import org.salus.core.log.FilePath.Kind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log segments that one member has open to read. Thread-safe. */
final class OpenSegments {
  private static final Logger LOG = LoggerFactory.getLogger(OpenSegments.class);

  private final RegionFiles files;
  private final OpenFiles<Long, SegmentReplicas> open;
  private final Damage damage;

  /**
   * @param damage told of segments that a read could not read
   */
  OpenSegments(RegionFiles files, OpenFiles<Long, SegmentReplicas> open, Damage damage) {
    this.files = files;
    this.open = open;
    this.damage = damage;
  }

  /** A segment, opened now unless it is open. */
  SegmentReplicas open(long segment) throws IOException {
    SegmentReplicas replicas = open.get(segment, () -> SegmentReplicas.of(files, segment));
    if (replicas == null) {
      throw new IOException("the epoch is over");
    }
    return replicas;
  }

  /**
   * Fills {@code dst} from the replica that is read; false when it does not reach that far or
   * cannot be read.
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

  /** As {@link #read}, without waiting: false where that cannot be, or for any other reason. */
  boolean readAtOnce(long segment, long position, ByteBuffer dst) {
    SegmentReplicas replicas = open.get(segment);
    return replicas != null && replicas.readAtOnce(position, dst);
  }

  /** Closes one: the next read opens it anew. */
  void close(long segment) {
    open.close(segment);
  }

  void closeAll(LongPredicate which) {
    open.closeAll(which::test);
  }

  /** Closes all; nothing is opened any more. */
  void end() {
    open.end();
  }
}
