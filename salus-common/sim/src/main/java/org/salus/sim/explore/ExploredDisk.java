package org.salus.sim.explore;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;

/** A node's replicas of one region's segments, as a value. */
record ExploredDisk(TreeMap<Long, Replica> segments) {
  static final ExploredDisk EMPTY = new ExploredDisk(new TreeMap<>());

  /**
   * @param synced how many bytes a power cut leaves at least
   */
  record Replica(byte[] bytes, int synced) implements LogReader.Source {
    @Override
    public boolean read(long position, ByteBuffer dst) {
      if (position + dst.remaining() > bytes.length) {
        return false;
      }
      dst.put(bytes, (int) position, dst.remaining());
      return true;
    }
  }

  private ExploredDisk with(long segment, Replica r) {
    TreeMap<Long, Replica> all = new TreeMap<>(segments);
    all.put(segment, r);
    return new ExploredDisk(all);
  }

  ExploredDisk append(long segment, long offset, byte[] more, boolean sync) {
    byte[] old = segments.containsKey(segment) ? segments.get(segment).bytes : new byte[0];
    if (old.length != offset) {
      throw new IllegalStateException(
          "append at " + offset + " of a replica of " + old.length + " bytes");
    }
    byte[] all = Arrays.copyOf(old, old.length + more.length);
    System.arraycopy(more, 0, all, old.length, more.length);
    int synced = segments.containsKey(segment) ? segments.get(segment).synced : 0;
    ExploredDisk d = with(segment, new Replica(all, sync ? all.length : synced));
    if (sync) {
      d.segments.headMap(segment).replaceAll((k, r) -> new Replica(r.bytes, r.bytes.length));
    }
    return d;
  }

  ExploredDisk set(long segment, byte[] content) {
    return with(segment, new Replica(content, content.length));
  }

  /** This disk with these segments only. */
  ExploredDisk retain(Set<Long> named) {
    TreeMap<Long, Replica> all = new TreeMap<>(segments);
    all.keySet().retainAll(named);
    return new ExploredDisk(all);
  }

  /** This disk without what was not synced. */
  ExploredDisk cut() {
    TreeMap<Long, Replica> all = new TreeMap<>();
    segments.forEach((s, r) -> all.put(s, new Replica(Arrays.copyOf(r.bytes, r.synced), r.synced)));
    return new ExploredDisk(all);
  }

  /** The certified records at the head of a segment, and the position of their end in bytes. */
  record Valid(List<LogRecord> records, long end) {}

  Valid valid(RegionId region, long segment, Signer signer) {
    Replica r = segments.get(segment);
    List<LogRecord> records = new ArrayList<>();
    if (r == null) {
      return new Valid(records, 0);
    }
    LogReader reader = new LogReader(r, region, segment, signer);
    for (LogRecord x = reader.next(); x != null; x = reader.next()) {
      records.add(x);
    }
    return new Valid(records, reader.end());
  }
}
