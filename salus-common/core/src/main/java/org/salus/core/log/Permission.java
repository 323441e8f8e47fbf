package org.salus.core.log;

import static org.salus.core.log.FilePath.Kind.CHECKPOINT;
import static org.salus.core.log.FilePath.Kind.LOG;

import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.MalformedException;

/**
 * A record with its certificate, as {@link LogRecord#permission} encodes it. It proves that the
 * members of a region's current RRS allow a change of the region's files (paper §4.2.3, P5).
 */
public record Permission(LogRecord record, List<byte[]> signatures) {

  /** A change of a region's file. */
  public enum Deed {
    CREATE,
    RECOVER,
    COMPLETE,
    DELETE,
    /** Replace one replica, as {@link RepairPermit} says. */
    REPAIR
  }

  public static Permission decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    Permission p = new Permission(LogRecord.decode(d.bytes()), d.list(Decoder::bytes));
    d.end();
    return p;
  }

  /**
   * Whether this allows the deed.
   *
   * @param length the length of the completed file, in bytes; ignored for other deeds
   * @param epoch the region's current epoch
   * @param members its members in chain order
   */
  public boolean allows(
      Deed deed,
      RegionId region,
      FilePath.Kind kind,
      long number,
      long length,
      int epoch,
      List<String> members,
      Signer signer) {
    boolean current =
        record.region().equals(region)
            && record.epoch() == epoch
            && record.certifiedBy(members, signatures, signer);
    try {
      return current
          && switch (record.type()) {
            case OPEN -> kind == LOG && openAllows(deed, number, OpenBody.decode(record.content()));
            case ROLL ->
                kind == LOG
                    && deed == Deed.CREATE
                    && number == RollBody.decode(record.content()).next();
            case BUILD ->
                kind == CHECKPOINT
                    && deed == Deed.CREATE
                    && number == BuildBody.decode(record.content()).checkpoint();
            case MANIFEST ->
                manifestAllows(deed, kind, number, length, ManifestBody.decode(record.content()));
            default -> false;
          };
    } catch (MalformedException e) {
      return false;
    }
  }

  private static boolean openAllows(Deed deed, long segment, OpenBody open) {
    return switch (deed) {
      case CREATE -> segment == open.next();
      case RECOVER -> names(open.recovered(), segment);
      case DELETE -> segment < open.next() && !names(open.recovered(), segment);
      case COMPLETE, REPAIR -> false;
    };
  }

  private boolean manifestAllows(
      Deed deed, FilePath.Kind kind, long number, long length, ManifestBody m) {
    return switch (deed) {
      case COMPLETE ->
          kind == LOG
              ? m.segments().contains(new SegmentEnd(number, length))
              : m.checkpoints().stream().anyMatch(c -> c.id() == number && c.length() == length);
      case REPAIR ->
          kind == LOG
              ? names(m.segments(), number)
              : m.checkpoints().stream().anyMatch(c -> c.id() == number);
      case DELETE ->
          kind == LOG ? m.discards(number, record.at().segment()) : m.discardsCheckpoint(number);
      default -> false;
    };
  }

  private static boolean names(List<SegmentEnd> segments, long segment) {
    return segments.stream().anyMatch(s -> s.segment() == segment);
  }
}
