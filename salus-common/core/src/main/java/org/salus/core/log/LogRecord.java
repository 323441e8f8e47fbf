package org.salus.core.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * One record of a region log: header, payload and trailer on disk. The header says everything, its
 * place included, and covers the payload by its CRC32C. Each member signs the header. The trailer
 * is the PUT-log certificate (paper §4.2.3): the signatures of all members of the epoch in chain
 * order.
 *
 * <p>A certified record is also the permission that is shown to the NameNode ({@link #permission}).
 */
public final class LogRecord {

  /** The kind of a record; the ordinal is its tag on disk. */
  public enum Type {
    /** The epoch begins: where the log of the epochs before ends. Certified, not appended. */
    OPEN,
    /** The head of a segment: the state that the log before it amounts to. */
    MANIFEST,
    /** A sub-batch. */
    PUT,
    MOUNT,
    RESOLVE,
    /** The next segment may be created. */
    ROLL,
    /** A checkpoint may be created, and every member builds it. */
    BUILD,
    /** All members have built the same checkpoint. */
    BUILT
  }

  private static final Type[] TYPES = Type.values();

  /** The format that this program writes and reads. */
  public static final int FORMAT = 8;

  /** "SAL" and the format's digit. */
  static final int HEADER_MAGIC = 0x53414c30 + FORMAT;

  /** The origin of a record that no session has asked for. */
  private static final byte[] NOBODY = {};

  private static final int TRAILER_MAGIC = 0x53414c54;

  /**
   * A record's length is a multiple of this many bytes. HDFS keeps a checksum for each such chunk
   * in another file. An append into a chunk would change its checksum, and a power cut between the
   * two files would lose synced bytes of the chunk.
   */
  public static final int CHUNK = 512;

  /** Bytes before a header's variable part: magic and length. */
  public static final int PREFIX = 8;

  /** Bytes of a header besides content and origin. */
  private static final int FIXED = 61;

  private static final int CONTENT_AT = 53;
  private static final int BETWEEN = 4;

  /** Bytes of a trailer besides signatures and padding. */
  private static final int FIXED_TRAILER = 12;

  /** The greatest length of a header, in bytes. */
  public static final int MAX_HEADER = 1 << 20;

  private final Type type;
  private final RegionId region;
  private final int epoch;
  private final Position at;
  private final int payloadLength;
  private final int payloadCrc;
  private final int contentLength;

  /**
   * The encoded header. Content and origin are kept here only, because many records are in memory.
   */
  private final byte[] header;

  /** A record without a payload that no session has asked for. */
  public LogRecord(Type type, RegionId region, int epoch, Position at, byte[] content) {
    this(new LogRequest(type, region, epoch, content, 0), at, 0, NOBODY);
  }

  /**
   * A record that a session has asked for.
   *
   * @param payloadLength bytes of payload
   * @param origin the session's signature over the request
   */
  public LogRecord(LogRequest request, Position at, int payloadLength, byte[] origin) {
    this.type = request.type();
    this.region = request.region();
    this.epoch = request.epoch();
    this.at = at;
    this.payloadLength = payloadLength;
    this.payloadCrc = request.payloadCrc();
    this.contentLength = request.content().length;
    this.header = encode(request, at, payloadLength, origin);
  }

  /**
   * @param fields the header's fields from the region on
   */
  private LogRecord(Type type, Decoder fields, byte[] header) throws MalformedException {
    this.type = type;
    this.region = new RegionId(fields.i64(), fields.i32());
    this.epoch = fields.i32();
    this.at = new Position(fields.i64(), fields.i64());
    this.payloadLength = fields.i32();
    this.payloadCrc = fields.i32();
    this.contentLength = fields.skipBytes();
    this.header = header;
  }

  private static byte[] encode(LogRequest request, Position at, int payloadLength, byte[] origin) {
    Encoder e = new Encoder(96 + request.content().length + origin.length);
    e.i32(HEADER_MAGIC)
        .i32(0)
        .u8(request.type().ordinal())
        .i64(request.region().volume())
        .i32(request.region().index())
        .i32(request.epoch());
    e.i64(at.segment())
        .i64(at.offset())
        .i32(payloadLength)
        .i32(request.payloadCrc())
        .bytes(request.content())
        .bytes(origin);
    e.i32(0);
    byte[] b = e.toBytes();
    ByteBuffer.wrap(b).putInt(4, b.length).putInt(b.length - 4, 0);
    ByteBuffer.wrap(b).putInt(b.length - 4, crc(ByteBuffer.wrap(b, 0, b.length - 4)));
    return b;
  }

  /**
   * The format of the record that begins with these {@link #PREFIX} bytes, {@link #FORMAT} or
   * another, or -1 when none does.
   */
  public static int format(ByteBuffer prefix) {
    int magic = prefix.getInt(prefix.position());
    int digit = (magic & 0xff) - '0';
    return magic >>> 8 == HEADER_MAGIC >>> 8 && digit >= 0 && digit <= 9 ? digit : -1;
  }

  /**
   * The length of the header that begins with these {@link #PREFIX} bytes, or -1 when none does.
   */
  public static int headerLength(ByteBuffer prefix) {
    int magic = prefix.getInt(prefix.position());
    int length = prefix.getInt(prefix.position() + 4);
    return magic == HEADER_MAGIC && length > PREFIX && length <= MAX_HEADER ? length : -1;
  }

  /** Reads a whole header and checks its CRC; the record keeps the array. */
  public static LogRecord decode(byte[] header) throws MalformedException {
    if (header.length < PREFIX + 4 || headerLength(ByteBuffer.wrap(header)) != header.length) {
      throw new MalformedException("no record header");
    }
    if (ByteBuffer.wrap(header).getInt(header.length - 4)
        != crc(ByteBuffer.wrap(header, 0, header.length - 4))) {
      throw new MalformedException("record header's CRC is wrong");
    }
    Decoder d = new Decoder(ByteBuffer.wrap(header, PREFIX, header.length - PREFIX - 4));
    int tag = d.u8();
    if (tag >= TYPES.length) {
      throw new MalformedException("record type " + tag);
    }
    LogRecord r = new LogRecord(TYPES[tag], d, header);
    d.skipBytes();
    d.end();
    return r;
  }

  /** The certificate as the trailer of this record on disk. */
  public byte[] trailer(List<byte[]> signatures) {
    byte[] b = new byte[trailerLength(signatures.size())];
    ByteBuffer trailer = ByteBuffer.wrap(b).putInt(TRAILER_MAGIC).putInt(signatures.size());
    signatures.forEach(trailer::put);
    trailer.putInt(b.length - 4, crc(ByteBuffer.wrap(b, 0, b.length - 4)));
    return b;
  }

  /** Bytes of the trailer that fills the record up to a multiple of {@link #CHUNK}. */
  public int trailerLength(int members) {
    return (int) (length(members) - header.length - payloadLength);
  }

  /** The signatures in a trailer; checks its CRC. */
  public static List<byte[]> signatures(byte[] trailer) throws MalformedException {
    if (trailer.length < FIXED_TRAILER
        || ByteBuffer.wrap(trailer).getInt(trailer.length - 4)
            != crc(ByteBuffer.wrap(trailer, 0, trailer.length - 4))) {
      throw new MalformedException("record trailer's CRC is wrong");
    }
    Decoder d = new Decoder(ByteBuffer.wrap(trailer, 0, trailer.length - 4));
    int magic = d.i32();
    int n = d.i32();
    if (magic != TRAILER_MAGIC || n < 0 || n > (trailer.length - FIXED_TRAILER) / Signer.BYTES) {
      throw new MalformedException("no record trailer");
    }
    List<byte[]> sigs = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      sigs.add(d.raw(Signer.BYTES));
    }
    return sigs;
  }

  /** Whether these are the signatures of exactly these members over this record. */
  public boolean certifiedBy(List<String> members, List<byte[]> signatures, Signer signer) {
    if (signatures.size() != members.size()) {
      return false;
    }
    for (int i = 0; i < members.size(); i++) {
      if (!signer.verifies(members.get(i), signatures.get(i), headerBuffer())) {
        return false;
      }
    }
    return true;
  }

  /** Header and certificate as shown to the NameNode. */
  public byte[] permission(List<byte[]> signatures) {
    return new Encoder(header.length + 128)
        .bytes(header)
        .list(signatures, Encoder::bytes)
        .toBytes();
  }

  public static int crc(ByteBuffer bytes) {
    CRC32C c = new CRC32C();
    c.update(bytes.duplicate());
    return (int) c.getValue();
  }

  /** What a session has asked for, if its type is one that only a session can ask for. */
  public LogRequest request() {
    return new LogRequest(type, region, epoch, content(), payloadCrc);
  }

  public Type type() {
    return type;
  }

  public RegionId region() {
    return region;
  }

  public int epoch() {
    return epoch;
  }

  public Position at() {
    return at;
  }

  public int payloadLength() {
    return payloadLength;
  }

  public int payloadCrc() {
    return payloadCrc;
  }

  /** A copy. */
  public byte[] content() {
    return Arrays.copyOfRange(header, CONTENT_AT, CONTENT_AT + contentLength);
  }

  /** A copy. */
  public byte[] origin() {
    return Arrays.copyOfRange(header, CONTENT_AT + contentLength + BETWEEN, header.length - 4);
  }

  public byte[] header() {
    return header;
  }

  public ByteBuffer headerBuffer() {
    return ByteBuffer.wrap(header);
  }

  /** The record's bytes on disk, with a certificate of this many members. */
  public long length(int members) {
    return length((long) header.length + payloadLength, members);
  }

  /** Bytes on disk of a record with these parts. */
  public static long length(byte[] content, byte[] origin, int payloadLength, int members) {
    return length((long) FIXED + content.length + origin.length + payloadLength, members);
  }

  private static long length(long untilTrailer, int members) {
    long least = untilTrailer + FIXED_TRAILER + (long) members * Signer.BYTES;
    return (least + CHUNK - 1) / CHUNK * CHUNK;
  }

  /** The offset of the payload in its segment, in bytes. */
  public long payloadOffset() {
    return at.offset() + header.length;
  }

  @Override
  public String toString() {
    return type + "@" + at + "/e" + epoch;
  }
}
