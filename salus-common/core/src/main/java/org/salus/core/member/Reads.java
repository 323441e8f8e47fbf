package org.salus.core.member;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.salus.core.Endpoint;
import org.salus.core.message.Message;

/**
 * Reads that wait until the watermark has reached what they name (paper §4.1: GETs are neither
 * numbered nor logged).
 */
final class Reads {

  /**
   * A GET or a page request.
   *
   * @param acked what all lanes have committed, as whoever asks says: nobody signs that, so it
   *     counts for this request only
   */
  record Waiting(Endpoint from, Message request, long prevNum, long acked) {}

  private final List<Waiting> waiting = new ArrayList<>();

  void add(Waiting w) {
    waiting.add(w);
  }

  /** Hands over, in order of arrival, what may be served. */
  void release(Predicate<Waiting> mayServe, Consumer<Waiting> serve) {
    for (Iterator<Waiting> i = waiting.iterator(); i.hasNext(); ) {
      Waiting w = i.next();
      if (mayServe.test(w)) {
        i.remove();
        serve.accept(w);
      }
    }
  }

  /** Forgets all: their mount is over. */
  void clear() {
    waiting.clear();
  }

  int size() {
    return waiting.size();
  }
}
