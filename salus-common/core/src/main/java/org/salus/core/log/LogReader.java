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
 * Reads one replica of one segment record by record. It stops at the first record that is not
 * certified, not whole or not in its place. The replica is valid up to there (paper §4.4, phase 2).
 * Payloads are checked by CRC32C (see {@link #withoutPayloads}) and, on demand, by leaf hashes
 * ({@link #withLeafHashes}). Not thread-safe.
 */
public final class LogReader {

  /** A replica's bytes. */
  public interface Source {
    /**
     * Fills {@code dst} from {@code position}, in bytes. Returns false if the replica is shorter or
     * cannot be read there.
     */
    boolean read(long position, ByteBuffer dst);

    /** Whether some bytes could not be read, though the replica may have them. */
    default boolean isUnsure() {
      return false;
    }
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

  /** Null if leaf hashes are not checked. */
  private Hashes hashes;

  private long end;
  private int epoch;

  public LogReader(Source source, RegionId region, long segment, Signer signer) {
    this(source, region, segment, signer, LogRules.PAPER);
  }

  /**
   * @param rules the rules that say which records are valid
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

  /** Whether the replica has nothing behind what was found valid, as far as could be read. */
  public boolean isReadThrough() {
    return rules.isReadThrough(source.isUnsure());
  }

  /** Bytes of whole, certified records read so far. */
  public long end() {
    return end;
  }

  /**
   * How far a reader has come, so that another one can go on there.
   *
   * @param members the members that certify what follows
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
   * Goes on where a reader of any replica of the same segment has stopped; null is the beginning.
   */
  public LogReader resume(Mark m) {
    end = m == null ? 0 : m.end();
    members = m == null ? null : m.members();
    epoch = m == null ? 0 : m.epoch();
    return this;
  }

  /**
   * Trusts payloads and reads no more of them than it must. This is for a complete file, which
   * every member of an epoch has checked before. Later damage is found when the block is read.
   */
  public LogReader withoutPayloads() {
    readsPayloads = false;
    return this;
  }

  /**
   * Also checks each block against its leaf hash, which the certificate covers. Wrong bytes may
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

  /**
   * Reads on to an offset, in bytes, or to the end of what is valid. Returns whether a record ends
   * exactly at the offset.
   */
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
   * How far a replica of {@code length} bytes proves that the log went on; to be called once {@link
   * #next} has found the end. The proof is the last certificate in it, even if not everything
   * before is valid. The bytes between are damaged, because a torn tail has no certificate behind
   * it. A whole page of zeros between is no proof: it may be one that was never written back when
   * the power failed.
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
   * The end of the certified record at a position, or 0 if there is none. If the members' names are
   * unknown, the record's place must be proof enough.
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
        // a manifest names the members that certify what follows, so it counts only as a segment's
        // head
        return null;
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

  /** Whether a certificate of the record's epoch follows. It is kept for {@link #certificate}. */
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
