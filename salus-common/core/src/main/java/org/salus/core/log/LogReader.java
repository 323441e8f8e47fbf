package org.salus.core.log;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.tree.Hashes;
import org.salus.core.wire.MalformedException;

/**
 * Reads one replica of one segment record by record and stops at the first that is not certified,
 * not whole or not in its place: the replica is valid up to there (paper §4.4, phase 2). Payloads
 * are checked by CRC32C, unless that is not asked for, and by their leaf hashes when that is. Not
 * thread-safe.
 */
public final class LogReader {

  /** A replica's bytes. */
  public interface Source {
    /**
     * Fills {@code dst} from {@code position}; false when the replica is shorter or cannot be read
     * there.
     */
    boolean read(long position, ByteBuffer dst);
  }

  private static final int CHUNK = 256 << 10;
  private static final int PAGE = 4 << 10;

  private final Source source;
  private final RegionId region;
  private final long segment;
  private final Signer signer;
  private final LogRules rules;
  private List<String> members;
  private List<byte[]> certificate = List.of();
  private boolean readsPayloads = true;

  /** Null where leaf hashes are not checked. */
  private Hashes hashes;

  private long end;
  private int epoch;

  public LogReader(Source source, RegionId region, long segment, Signer signer) {
    this(source, region, segment, signer, LogRules.PAPER);
  }

  /**
   * @param rules what makes a record valid
   */
  public LogReader(Source source, RegionId region, long segment, Signer signer, LogRules rules) {
    this.source = source;
    this.region = region;
    this.segment = segment;
    this.signer = signer;
    this.rules = rules;
  }

  public long segment() {
    return segment;
  }

  /** Bytes of whole, certified records read so far. */
  public long end() {
    return end;
  }

  /**
   * How far a reader has come, for another one to go on there.
   *
   * @param members who certify what follows
   * @param epoch of the last record
   */
  public record Mark(long end, List<String> members, int epoch) {}

  public Mark mark() {
    return new Mark(end, members, epoch);
  }

  /** The epoch of the last record, 0 before the first. */
  public int epoch() {
    return epoch;
  }

  /**
   * Goes on where a reader of the same segment, of any replica, has come to; null is the beginning.
   */
  public LogReader resume(Mark m) {
    end = m == null ? 0 : m.end();
    members = m == null ? null : m.members();
    epoch = m == null ? 0 : m.epoch();
    return this;
  }

  /**
   * Takes payloads for what they should be, and reads no more of them than it must: for a file that
   * is complete, which every member of an epoch had checked before. What was damaged since is found
   * where it is read.
   */
  public LogReader withoutPayloads() {
    readsPayloads = false;
    return this;
  }

  /**
   * Checks each block against its leaf hash, which the certificate covers, as well: wrong bytes may
   * have the right CRC32C.
   */
  public LogReader withLeafHashes() {
    hashes = new Hashes();
    return this;
  }

  /** The signatures of the record that {@link #next} returned last. */
  public List<byte[]> certificate() {
    return certificate;
  }

  /** Reads on as far as is valid; whether a record ends exactly there. */
  public boolean reaches(long offset) {
    while (end < offset && next() != null) {
      continue;
    }
    return end == offset;
  }

  /** The next record, or null at the end of what is valid. */
  public LogRecord next() {
    try {
      LogRecord r = header(end);
      if (r == null || readsPayloads && !payloadIsWhole(r) || !certified(r)) {
        return null;
      }
      end += r.length(members.size());
      epoch = r.epoch();
      return r;
    } catch (MalformedException e) {
      return null;
    }
  }

  /**
   * How far a replica of {@code length} bytes proves that the log has come, to be called when
   * {@link #next} has found the end: up to the last certificate in it, even if not everything
   * before is valid. What lies between is damaged: a torn tail has no certificate behind it. A
   * whole page of zeros between is no proof, for it may be one that was never written back when
   * power went.
   */
  public long provenEnd(long length) {
    long proven = end;
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
    for (long at = end;
        at + LogRecord.PREFIX <= length;
        at += chunk.limit() - LogRecord.PREFIX + 1) {
      chunk.clear().limit((int) Math.min(CHUNK, length - at));
      if (!source.read(at, chunk)) {
        continue; // unreadable: no proof
      }
      for (int i = 0; i + LogRecord.PREFIX <= chunk.limit(); i++) {
        long last = chunk.getInt(i) == LogRecord.HEADER_MAGIC ? certifiedEnd(at + i) : 0;
        proven = last > proven && !hasLostPage(proven, last) ? last : proven;
      }
    }
    return proven;
  }

  private boolean hasLostPage(long from, long to) {
    ByteBuffer page = ByteBuffer.allocate(PAGE);
    for (long at = (from + PAGE - 1) / PAGE * PAGE; at + PAGE <= to; at += PAGE) {
      if (source.read(at, page.clear()) && page.flip().equals(ByteBuffer.allocate(PAGE))) {
        return true;
      }
    }
    return false;
  }

  /**
   * The end of the certified record at a position, 0 when there is none. Without the members' names
   * its place must do.
   */
  private long certifiedEnd(long at) {
    try {
      LogRecord r = header(at);
      return r == null
          ? 0
          : members == null ? r.payloadOffset() : certified(r) ? at + r.length(members.size()) : 0;
    } catch (MalformedException e) {
      return 0;
    }
  }

  private LogRecord header(long at) throws MalformedException {
    ByteBuffer prefix = ByteBuffer.allocate(LogRecord.PREFIX);
    if (!source.read(at, prefix)) {
      return null;
    }
    int length = LogRecord.headerLength(prefix.flip());
    if (length < 0) {
      return null;
    }
    ByteBuffer whole = ByteBuffer.allocate(length);
    if (!source.read(at, whole)) {
      return null;
    }
    LogRecord r = LogRecord.decode(whole.array());
    if (!r.region().equals(region) || !r.at().equals(new Position(segment, at))) {
      return null;
    }
    if (r.type() == LogRecord.Type.MANIFEST) {
      if (at > 0) {
        return null; // a manifest is a segment's head; elsewhere it would name whoever may certify
        // what follows
      }
      members = ManifestBody.decode(r.content()).members();
    }
    return members == null && at == end ? null : r;
  }

  private boolean payloadIsWhole(LogRecord r) throws MalformedException {
    List<Put> blocks =
        hashes == null || r.type() != LogRecord.Type.PUT
            ? List.of()
            : SubBatch.decode(r.content()).puts().stream().filter(p -> !p.zero()).toList();
    if (!blocks.isEmpty() && (r.payloadLength() == 0 || r.payloadLength() % blocks.size() != 0)) {
      return false;
    }
    CRC32C crc = new CRC32C();
    int size = blocks.isEmpty() ? CHUNK : r.payloadLength() / blocks.size();
    ByteBuffer chunk = ByteBuffer.allocate(Math.min(size, Math.max(1, r.payloadLength())));
    for (int done = 0; done < r.payloadLength(); done += chunk.limit()) {
      chunk.clear().limit(Math.min(chunk.capacity(), r.payloadLength() - done));
      if (!source.read(r.payloadOffset() + done, chunk)) {
        return false;
      }
      crc.update(chunk.flip());
      if (!blocks.isEmpty()
          && !Arrays.equals(hashes.leaf(chunk.rewind()), blocks.get(done / size).leafHash())) {
        return false;
      }
    }
    return (int) crc.getValue() == r.payloadCrc();
  }

  /** Whether a certificate of this epoch follows. */
  private boolean certified(LogRecord r) {
    List<byte[]> signatures = signatures(r);
    certificate = signatures == null ? certificate : signatures;
    return rules.isCertified(r, members, signatures, signer);
  }

  /** The signatures behind a record, or null where there is no trailer. */
  private List<byte[]> signatures(LogRecord r) {
    ByteBuffer trailer = ByteBuffer.allocate(r.trailerLength(members.size()));
    try {
      return source.read(r.payloadOffset() + r.payloadLength(), trailer)
          ? LogRecord.signatures(trailer.array())
          : null;
    } catch (MalformedException e) {
      return null;
    }
  }
}
