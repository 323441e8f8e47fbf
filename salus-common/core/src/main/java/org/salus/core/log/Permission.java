package org.salus.core.log;

import static org.salus.core.path.FilePath.Kind.CHECKPOINT;
import static org.salus.core.path.FilePath.Kind.LOG;

import java.util.Collection;
import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.compaction.BuildBody;
import org.salus.core.path.FilePath;
import org.salus.core.path.SpecName;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.MalformedException;

/**
 * A record with its certificate, as {@link LogRecord#permission} encodes it. It proves that the
 * members of a region's current RRS allow a change of the region's files (paper §4.2.3, P5).
 */
public record Permission(LogRecord record, List<byte[]> signatures) {

  /** What the NameNode knows of a file before a deed. */
  public enum FileState {
    ABSENT,
    /** A directory has the file's name. Nothing of a volume is below it. */
    DIRECTORY,
    /** The file has no HDFS block, and so no data. */
    EMPTY,
    /** The file has a block. There may be data on DataNodes of which the NameNode has not heard. */
    WITH_BLOCK
  }

  /**
   * A change of a region's file. The permission to create a file is shown while the file is young,
   * but it stays readable in the log while the file is written. So the deeds that it allows must
   * not be able to destroy: they fit only a file without data.
   */
  public enum Deed {
    /** Create the file. It must not replace another one. */
    CREATE,
    /** Give the new file its HDFS block. The call must not commit a block before. */
    ADD_BLOCK,
    /** Give the block of an open file back, with all replicas. No record allows it. */
    ABANDON,
    /** Remove a directory that stands where a file is to be created. */
    CLEAR,
    /** Make the directory whose name is the volume's shape ({@link SpecName}). */
    SHAPE,
    /** Stop the writers of an open file's replicas, and give these a new stamp. */
    RECOVER,
    /** Count the replicas that a recovery has made equal. HDFS drops all others. */
    LEAVE_BEHIND,
    COMPLETE,
    DELETE,
    /** Replace one replica, as {@link RepairPermit} says. */
    REPAIR;

    /** Whether a file in this state may undergo the deed, whatever the permission says. */
    public boolean fits(FileState before) {
      return switch (this) {
        case CREATE -> before == FileState.ABSENT;
        case ADD_BLOCK -> before == FileState.EMPTY;
        case CLEAR -> before == FileState.DIRECTORY;
        case SHAPE -> before == FileState.ABSENT || before == FileState.DIRECTORY;
        case ABANDON -> false;
        case RECOVER, LEAVE_BEHIND, COMPLETE, DELETE, REPAIR -> before != FileState.DIRECTORY;
      };
    }

    /**
     * Whether the deed can take from an earlier epoch what it has, so that only an epoch that
     * serves may do it.
     */
    public boolean ends() {
      return switch (this) {
        case COMPLETE, DELETE, REPAIR -> true;
        case CREATE, ADD_BLOCK, ABANDON, CLEAR, SHAPE, RECOVER, LEAVE_BEHIND -> false;
      };
    }

    /**
     * Whether the word of every member must come with the permission ({@code WrittenManifest}).
     * HDFS drops replicas when others are left behind, and whoever reads a file must reach the end
     * at which it was completed.
     */
    public boolean needsWords() {
      return switch (this) {
        case LEAVE_BEHIND, COMPLETE, DELETE -> true;
        case CREATE, ADD_BLOCK, ABANDON, CLEAR, SHAPE, RECOVER, REPAIR -> false;
      };
    }

    /** Whether the deed is part of the creation of a file, so that the same records allow it. */
    private boolean creates() {
      return switch (this) {
        case CREATE, ADD_BLOCK, ABANDON, CLEAR -> true;
        case SHAPE, RECOVER, LEAVE_BEHIND, COMPLETE, DELETE, REPAIR -> false;
      };
    }
  }

  public static Permission decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    Permission p = new Permission(LogRecord.decode(d.bytes()), d.list(Decoder::bytes));
    d.end();
    return p;
  }

  /**
   * Whether this allows the deed, for a file whose state {@linkplain LogRules#mayChange fits} it.
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
                kind == LOG && deed.creates() && number == RollBody.decode(record.content()).next();
            case BUILD ->
                kind == CHECKPOINT
                    && deed.creates()
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
      case CREATE, ADD_BLOCK, ABANDON, CLEAR -> segment == open.next();
      case SHAPE -> true;
      case RECOVER -> names(open.recovered(), segment);
      case LEAVE_BEHIND, COMPLETE, DELETE, REPAIR -> false; // the epoch may never serve
    };
  }

  private boolean manifestAllows(
      Deed deed, FilePath.Kind kind, long number, long length, ManifestBody m) {
    return switch (deed) {
      case COMPLETE ->
          kind == LOG
              ? m.segments().contains(new SegmentEnd(number, length))
              : m.checkpoints().live().stream()
                  .anyMatch(c -> c.id() == number && c.length() == length);
      case LEAVE_BEHIND -> kind == LOG && names(m.segments(), number);
      case REPAIR ->
          kind == LOG
              ? names(m.segments(), number)
              : m.checkpoints().live().stream().anyMatch(c -> c.id() == number);
      case DELETE ->
          kind == LOG ? m.discards(number, record.at().segment()) : m.discardsCheckpoint(number);
      default -> false;
    };
  }

  /**
   * Whether the deed comes in its turn. A permission stays readable while its epoch lasts. With an
   * old one a discarded segment could come back, and segments that are deleted in another order
   * would leave a gap in the log. No member that replays such a log gets through.
   *
   * @param there the numbers of the region's segments whose files exist
   */
  boolean isInTurn(Deed deed, FilePath.Kind kind, long number, Collection<Long> there) {
    if (kind != LOG) {
      return true; // nobody reads a checkpoint that no manifest names
    }
    return switch (deed) {
      case CREATE -> there.stream().allMatch(s -> s < number);
      case ADD_BLOCK -> there.stream().allMatch(s -> s <= number);
      case DELETE -> there.stream().noneMatch(s -> s < number && discards(s));
      default -> true;
    };
  }

  private boolean discards(long segment) {
    try {
      return record.type() == LogRecord.Type.MANIFEST
          && ManifestBody.decode(record.content()).discards(segment, record.at().segment());
    } catch (MalformedException e) {
      return false;
    }
  }

  private static boolean names(List<SegmentEnd> segments, long segment) {
    return segments.stream().anyMatch(s -> s.segment() == segment);
  }
}
