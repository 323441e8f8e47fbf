package org.salus.core.member;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.log.SubBatch;

/**
 * The newest records of the log, in order. Each piece is appended once everything before it is: a
 * large body when it arrives, a trailer when its certificate does. So the replicas of all members
 * get the same bytes.
 */
final class RecordTail {
  private static final int KEPT = 64;

  /**
   * A payload of at most this many bytes is appended together with its certificate. The DataNode
   * then gets one packet instead of two.
   */
  private static final int SMALL = 64 << 10;

  private final int members;
  private final boolean synced;
  private final Deque<Entry> entries = new ArrayDeque<>();
  private final TreeMap<Position, Entry> byPosition = new TreeMap<>();

  /**
   * @param synced whether every append must be synced
   */
  RecordTail(int members, boolean synced) {
    this.members = members;
    this.synced = synced;
  }

  void add(Entry e) {
    entries.add(e);
    byPosition.put(e.record.at(), e);
  }

  /** Whether there is no record here. */
  boolean isEmpty() {
    return entries.isEmpty();
  }

  Entry find(Position at) {
    return byPosition.get(at);
  }

  /** The entry that holds this sub-batch already, or null. */
  Entry find(SubBatch b) {
    for (Entry e : entries) {
      SubBatch x = e.batch;
      if (x != null
          && x.mountEpoch() == b.mountEpoch()
          && x.view() == b.view()
          && x.first() == b.first()
          && x.last() == b.last()) {
        return e;
      }
    }
    return null;
  }

  /** The newest entry of a type, or null. */
  Entry newest(LogRecord.Type type) {
    Entry found = null;
    for (Entry e : entries) {
      found = e.record.type() == type ? e : found;
    }
    return found;
  }

  /** The oldest records whose certificates are not known yet, {@code most} at most. */
  List<Entry> uncertified(int most) {
    List<Entry> found = new ArrayList<>();
    for (Entry e : entries) {
      if (found.size() == most) {
        break;
      }
      if (e.certificate == null) {
        found.add(e);
      }
    }
    return found;
  }

  /**
   * Where the sub-batches end that are not written here yet, in order.
   *
   * @param asked whether to name those that the host has been asked to append, or those before that
   */
  List<Position> unwritten(boolean asked) {
    return entries.stream()
        .filter(e -> e.batch != null && !e.durable && e.trailerAppended == asked)
        .map(this::end)
        .toList();
  }

  /** Asks the host to append what may be appended now, with neighbouring pieces in one append. */
  void append(Outbox out) {
    Position start = null;
    boolean sync = false;
    List<ByteBuffer> bytes = new ArrayList<>();
    for (Entry e : entries) {
      if (!e.trailerAppended) {
        Position at = e.record.at();
        if (start != null && at.segment() != start.segment()) {
          out.add(new MemberEffect.Append(start, List.copyOf(bytes), sync));
          bytes.clear();
          start = null;
          sync = false;
        }
        long offset =
            at.offset()
                + (e.bodyAppended ? e.record.header().length + e.record.payloadLength() : 0);
        boolean first = start == null;
        if (addPieces(e, bytes) && first) {
          start = new Position(at.segment(), offset);
        }
        sync |= e.trailerAppended && (synced || e.syncs());
        if (!e.trailerAppended) {
          break;
        }
      }
    }
    if (start != null) {
      out.add(new MemberEffect.Append(start, bytes, sync));
    }
  }

  private static boolean addPieces(Entry e, List<ByteBuffer> bytes) {
    int before = bytes.size();
    if (!e.bodyAppended && (e.certificate != null || e.record.payloadLength() > SMALL)) {
      bytes.add(e.record.headerBuffer());
      if (e.record.payloadLength() > 0) {
        bytes.add(e.payload);
      }
      e.bodyAppended = true;
    }
    if (e.certificate != null && e.bodyAppended) {
      bytes.add(ByteBuffer.wrap(e.record.trailer(e.certificate)));
      e.trailerAppended = true;
      e.payload = null;
    }
    return bytes.size() > before;
  }

  private Position end(Entry e) {
    return e.record.at().plus(e.record.length(members));
  }

  /**
   * The entries that became written, in order, now that the replica is written up to {@code end}.
   */
  List<Entry> durable(Position end) {
    List<Entry> now = new ArrayList<>();
    for (Entry e : entries) {
      if (!e.durable && e.trailerAppended && end(e).compareTo(end) <= 0) {
        e.durable = true;
        now.add(e);
      }
    }
    return now;
  }

  /** The entries that are written here and are kept, in order. */
  List<Entry> written() {
    return entries.stream().filter(e -> e.durable).toList();
  }

  /**
   * Forgets what nobody can ask for again: settled sub-batches and what is before them. The newest
   * 64 records, more than a session has outstanding, are kept. A batch of an earlier view may have
   * settled them before M0 has their certificates.
   */
  void prune(long acked) {
    Entry last = null;
    int beyond = entries.size() - KEPT;
    for (Entry e : entries) {
      if (beyond-- <= 0 || !e.durable) {
        break;
      }
      boolean settled = e.batch != null && e.batch.last() <= acked;
      last = settled ? e : last;
    }
    for (Entry e = null; e != last; ) {
      e = entries.poll();
      byPosition.remove(e.record.at());
    }
  }
}
