package org.salus.core.mount;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a client has seen of the records of a volume's readers. It remembers since when each is
 * unchanged, so that the time for which a volume was busy counts. Thread-safe.
 */
public final class EarlierReaders {
  private final MountRules rules;
  private final Map<Long, MountRules.Look> looks = new TreeMap<>();

  public EarlierReaders(MountRules rules) {
    this.rules = rules;
  }

  /**
   * Notes all records that are there.
   *
   * @param now when the answer had come, in nanoseconds
   * @return since when each of them is as it is now
   */
  public synchronized List<MountRules.Look> seen(Collection<Reader> readers, long now) {
    looks.keySet().retainAll(readers.stream().map(Reader::mountEpoch).toList());
    for (Reader r : readers) {
      MountRules.Look before = looks.get(r.mountEpoch());
      if (before == null || !rules.isUnchanged(before.reader(), r)) {
        looks.put(r.mountEpoch(), new MountRules.Look(r, now));
      }
    }
    return List.copyOf(looks.values());
  }
}
