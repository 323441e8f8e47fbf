package org.salus.core.log;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.wire.MalformedException;

/**
 * Reads one replica of one segment record by record and stops at the first that is not certified, not whole or not in
 * its place: the replica is valid up to there (paper §4.4, phase 2). Payloads are checked by CRC32C. Not thread-safe.
 */
public class LogReader {

  /** A replica's bytes. */
  public interface Source {
    /** Fills {@code dst} from {@code position}; false when the replica is shorter or cannot be read there. */
    boolean read(long position, ByteBuffer dst);
  }

  private static final int CHUNK = 256 << 10;

  private final Source source;
  private final RegionId region;
  private final long segment;
  private final Signer signer;
  private List<String> members;
  private long end;

  public LogReader(Source source, RegionId region, long segment, Signer signer) {
    this.source = source;
    this.region = region;
    this.segment = segment;
    this.signer = signer;
  }

  /** Bytes of whole, certified records read so far. */
  public long end() {
    return end;
  }

  /** The next record, or null at the end of what is valid. */
  public LogRecord next() {
    try {
      LogRecord r = header();
      if (r == null || !payloadIsWhole(r) || !certified(r)) {
        return null;
      }
      end += r.length(members.size());
      return r;
    } catch (MalformedException e) {
      return null;
    }
  }

  private LogRecord header() throws MalformedException {
    ByteBuffer prefix = ByteBuffer.allocate(LogRecord.PREFIX);
    if (!source.read(end, prefix)) {
      return null;
    }
    int length = LogRecord.headerLength(prefix.flip());
    if (length < 0) {
      return null;
    }
    ByteBuffer whole = ByteBuffer.allocate(length);
    if (!source.read(end, whole)) {
      return null;
    }
    LogRecord r = LogRecord.decode(whole.array());
    if (!r.region().equals(region) || !r.at().equals(new Position(segment, end))) {
      return null;
    }
    if (r.type() == LogRecord.Type.MANIFEST) {
      members = ManifestBody.decode(r.content()).members();
    }
    return members == null ? null : r;
  }

  private boolean payloadIsWhole(LogRecord r) {
    CRC32C crc = new CRC32C();
    ByteBuffer chunk = ByteBuffer.allocate(Math.min(CHUNK, Math.max(1, r.payloadLength())));
    for (int done = 0; done < r.payloadLength(); done += chunk.limit()) {
      chunk.clear().limit(Math.min(chunk.capacity(), r.payloadLength() - done));
      if (!source.read(r.payloadOffset() + done, chunk)) {
        return false;
      }
      crc.update(chunk.flip());
    }
    return (int) crc.getValue() == r.payloadCrc();
  }

  /** Whether a certificate of this epoch follows; replaceable in tests. */
  boolean certified(LogRecord r) throws MalformedException {
    ByteBuffer trailer = ByteBuffer.allocate(LogRecord.trailerLength(members.size()));
    return source.read(r.payloadOffset() + r.payloadLength(), trailer)
        && r.certifiedBy(members, LogRecord.signatures(trailer.array()), signer);
  }
}
