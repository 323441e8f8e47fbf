package org.salus.core.log;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.Signer;

/**
 * An epoch whose members certify whatever a test wants in their log.
 *
 * @param members in chain order
 */
public record TestEpoch(RegionId region, int epoch, List<String> members, Signer signer) {
  /** A record without a payload that no session has asked for. */
  public LogRecord record(LogRecord.Type type, Position at, byte[] content) {
    return new LogRecord(type, region, epoch, at, content);
  }

  /** A record with this payload. */
  LogRecord record(LogRecord.Type type, Position at, byte[] content, byte[] payload) {
    int crc = payload.length == 0 ? 0 : LogRecord.crc(ByteBuffer.wrap(payload));
    return new LogRecord(
        new LogRequest(type, region, epoch, content, crc), at, payload.length, new byte[0]);
  }

  /** The head of a segment, as long as nothing is in the log but these segments. */
  public LogRecord manifest(long segment, SegmentEnd... before) {
    ManifestBody body = new LogState().manifest(members, List.of(before));
    return record(LogRecord.Type.MANIFEST, new Position(segment, 0), body.encode());
  }

  public List<byte[]> certificate(LogRecord r) {
    return members.stream().map(m -> signer.sign(m, r.headerBuffer())).toList();
  }

  /** The record as it is shown to the NameNode. */
  public byte[] permission(LogRecord r) {
    return r.permission(certificate(r));
  }

  /** The record as it is on disk. */
  public byte[] onDisk(LogRecord r, byte[] payload) {
    byte[] trailer = r.trailer(certificate(r));
    return ByteBuffer.allocate(r.header().length + payload.length + trailer.length)
        .put(r.header())
        .put(payload)
        .put(trailer)
        .array();
  }

  /** A reader of a segment's replica. */
  public LogReader reader(long segment, byte[] replica) {
    LogReader.Source source =
        (position, dst) -> {
          if (position + dst.remaining() > replica.length) {
            return false;
          }
          dst.put(replica, (int) position, dst.remaining());
          return true;
        };
    return new LogReader(source, region, segment, signer);
  }
}
