package org.salus.core.session;

import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.salus.core.session.PageFetcher.Key;

/**
 * The reads that are not asked for in full, each where it waits: behind a write, for a page, for
 * room among its region's bytes under way, or to be looked at for the first time. What they wait
 * for calls them. So an event costs the same however many reads wait.
 */
final class WaitingReads {
  /** The most reads that wait and were looked at, behind which others wait too. */
  private static final int LOOK_AHEAD = 1024;

  /** Oldest first. */
  private final Map<Long, ReadRequest> all = new LinkedHashMap<>();

  private final TreeMap<Long, ReadRequest> unseen = new TreeMap<>();

  /** Reads that may go on. */
  private final TreeMap<Long, ReadRequest> called = new TreeMap<>();

  private final Map<WriteRequest, TreeMap<Long, ReadRequest>> behind = new LinkedHashMap<>();
  private final TreeMap<Key, TreeMap<Long, ReadRequest>> forPage = new TreeMap<>();

  /** By region. */
  private final List<TreeMap<Long, ReadRequest>> forRoom;

  /** The regions that have got room since a read was last found to exceed it. */
  private final BitSet hasRoom = new BitSet();

  WaitingReads(int regions) {
    forRoom = Stream.generate(() -> new TreeMap<Long, ReadRequest>()).limit(regions).toList();
  }

  void add(ReadRequest r) {
    all.put(r.id, r);
    place(r, unseen);
  }

  private static void place(ReadRequest r, SortedMap<Long, ReadRequest> where) {
    r.place = where;
    where.put(r.id, r);
  }

  private static void take(ReadRequest r) {
    if (r.place != null) {
      r.place.remove(r.id);
      r.place = null;
    }
  }

  /** Takes the read to be looked at next; null if each waits for something. */
  ReadRequest next() {
    TreeMap<Long, ReadRequest> from = called;
    for (int r = hasRoom.nextSetBit(0); r >= 0 && from.isEmpty(); r = hasRoom.nextSetBit(r + 1)) {
      from = forRoom.get(r);
      hasRoom.set(r, !from.isEmpty());
    }
    if (from.isEmpty() && all.size() - unseen.size() < LOOK_AHEAD) {
      from = unseen;
    }
    if (from.isEmpty()) {
      return null;
    }
    ReadRequest next = from.firstEntry().getValue();
    take(next);
    return next;
  }

  /** Whether an earlier read waits for room in this region. */
  boolean isRoomWanted(int region, ReadRequest by) {
    TreeMap<Long, ReadRequest> waiting = forRoom.get(region);
    return !waiting.isEmpty() && waiting.firstKey() < by.id;
  }

  void awaitRoom(ReadRequest r, int region) {
    place(r, forRoom.get(region));
  }

  /** Nothing more fits into the region's bytes under way. */
  void full(int region) {
    hasRoom.clear(region);
  }

  /** The region's bytes under way have become fewer. */
  void room(int region) {
    hasRoom.set(region, !forRoom.get(region).isEmpty());
  }

  void awaitWrite(ReadRequest r, WriteRequest w) {
    place(r, behind.computeIfAbsent(w, any -> new TreeMap<>()));
  }

  /** More of this write is in batches. */
  void batched(WriteRequest w) {
    callAll(behind.remove(w));
  }

  void awaitPage(ReadRequest r, Key page) {
    place(r, forPage.computeIfAbsent(page, p -> new TreeMap<>()));
  }

  /** The tree has a page that was missing. */
  void arrived(Key page) {
    callAll(forPage.remove(page));
  }

  private void callAll(SortedMap<Long, ReadRequest> place) {
    if (place != null) {
      place.values().forEach(r -> place(r, called));
    }
  }

  /** A part of the read has failed, so it asks for no more. */
  void call(ReadRequest r) {
    if (r.place != null) {
      take(r);
      place(r, called);
    }
  }

  /** Forgets a read that is asked for in full or has failed. */
  void remove(ReadRequest r) {
    take(r);
    all.remove(r.id);
  }

  /** The read that was called first; null if none waits. */
  ReadRequest oldest() {
    return all.isEmpty() ? null : all.values().iterator().next();
  }

  Collection<ReadRequest> all() {
    return all.values();
  }

  void clear() {
    all.clear();
    unseen.clear();
    called.clear();
    behind.clear();
    forPage.clear();
    hasRoom.clear();
    forRoom.forEach(Map::clear);
  }

  boolean isEmpty() {
    return all.isEmpty();
  }
}
