package org.salus.core.log;

import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.message.Message.SegmentEnd;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.MalformedException;

/**
 * A record with its certificate, as {@link LogRecord#permission} encodes it: what the members of a region's current RRS
 * have agreed may be done to the region's files (paper §4.2.3, P5).
 */
public record Permission(LogRecord record, List<byte[]> signatures) {

  /** What may be done to a segment's file. */
  public enum Deed { CREATE, RECOVER, COMPLETE, DELETE }

  public static Permission decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    Permission p = new Permission(LogRecord.decode(d.bytes()), d.list(Decoder::bytes));
    d.end();
    return p;
  }

  /**
   * Whether this allows the deed.
   *
   * @param epoch the region's current epoch
   * @param members its members in chain order
   */
  public boolean allows(Deed deed, RegionId region, long segment, int epoch, List<String> members, Signer signer) {
    boolean current = record.region().equals(region) && record.epoch() == epoch && record.certifiedBy(members, signatures, signer);
    try {
      return current && switch (record.type()) {
        case OPEN -> openAllows(deed, segment, OpenBody.decode(record.content()));
        case ROLL -> deed == Deed.CREATE && segment == RollBody.decode(record.content()).next();
        case MANIFEST -> deed == Deed.COMPLETE && names(ManifestBody.decode(record.content()).segments(), segment);
        default -> false;
      };
    } catch (MalformedException e) {
      return false;
    }
  }

  private static boolean openAllows(Deed deed, long segment, OpenBody open) {
    return switch (deed) {
      case CREATE -> segment == open.next();
      case RECOVER, COMPLETE -> names(open.recovered(), segment);
      case DELETE -> segment < open.next() && !names(open.recovered(), segment);
    };
  }

  private static boolean names(List<SegmentEnd> segments, long segment) {
    return segments.stream().anyMatch(s -> s.segment() == segment);
  }
}
