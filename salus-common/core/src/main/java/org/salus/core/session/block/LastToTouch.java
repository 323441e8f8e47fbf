package org.salus.core.session.block;

import java.util.Map;
import java.util.TreeMap;

/**
 * Finds the last of the waiting changes that touches a block. A call costs the logarithm of how
 * many wait, and not more the more they are. Not thread-safe.
 *
 * @param <T> a change; compared by identity
 */
public final class LastToTouch<T> {
  /** Blocks up to {@code end} whose last change is {@code by}. */
  private record Span<T>(long end, T by, long order) {}

  /** Spans that do not overlap, by their first block. */
  private final TreeMap<Long, Span<T>> spans = new TreeMap<>();

  private long order;

  /**
   * Adds a change that comes after all others. It touches the blocks from {@code from}, inclusive,
   * to {@code to}, exclusive; none if they are equal.
   */
  public void add(T change, long from, long to) {
    if (from < to) {
      cut(from);
      cut(to);
      spans.subMap(from, to).clear();
      spans.put(from, new Span<>(to, change, ++order));
    }
  }

  /** Makes spans begin or end at this block. */
  private void cut(long at) {
    Map.Entry<Long, Span<T>> before = spans.lowerEntry(at);
    if (before != null && before.getValue().end > at) {
      Span<T> span = before.getValue();
      spans.put(before.getKey(), new Span<>(at, span.by, span.order));
      spans.put(at, span);
    }
  }

  /** The last change to touch any of these blocks; null if there is none. */
  public T last(long from, long to) {
    if (from >= to) {
      return null;
    }
    Map.Entry<Long, Span<T>> before = spans.floorEntry(from);
    Span<T> last = before == null || before.getValue().end <= from ? null : before.getValue();
    for (Span<T> span : spans.subMap(from, to).values()) {
      last = last == null || span.order > last.order ? span : last;
    }
    return last == null ? null : last.by;
  }

  /** Forgets a change that was added with this range. */
  public void remove(T change, long from, long to) {
    if (from < to) {
      spans.subMap(from, to).values().removeIf(span -> span.by == change);
      order = spans.isEmpty() ? 0 : order;
    }
  }

  public void clear() {
    spans.clear();
    order = 0;
  }
}
