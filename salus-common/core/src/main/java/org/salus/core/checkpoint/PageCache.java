package org.salus.core.checkpoint;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A cache of the page entries that a server read last, of all checkpoints, about 4 KiB each.
 * Thread-safe.
 */
public final class PageCache {
  private static final int ENTRIES = 8192;

  private record Key(String checkpoint, long page) {}

  private final Map<Key, PageEntry> entries =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, PageEntry> eldest) {
          return size() > ENTRIES;
        }
      };

  synchronized PageEntry get(String checkpoint, long page) {
    return entries.get(new Key(checkpoint, page));
  }

  synchronized void put(String checkpoint, PageEntry entry) {
    entries.put(new Key(checkpoint, entry.page()), entry);
  }
}
