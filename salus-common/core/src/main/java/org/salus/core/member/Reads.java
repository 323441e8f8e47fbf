package org.salus.core.member;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.salus.core.Endpoint;
import org.salus.core.message.Message;

/**
 * Reads that wait until the watermark reaches the seq that they name. GETs are neither numbered nor
 * logged (paper §4.1). Only the newest wait, since a session asks elsewhere for what is not
 * answered.
 */
final class Reads {

  /**
   * A GET or a page request.
   *
   * @param acked the seq up to which all lanes have committed, as the asker says. It is not signed,
   *     so it counts for this request only
   */
  record Waiting(Endpoint from, Message request, long prevNum, long acked) {}

  private final Deque<Waiting> waiting = new ArrayDeque<>();

  void add(Waiting w) {
    waiting.add(w);
    if (waiting.size() > MemberConfig.MOST_READS) {
      waiting.remove();
    }
  }

  /** Takes all reads, in order of arrival. */
  List<Waiting> takeAll() {
    List<Waiting> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }

  /** Serves, in order of arrival, the reads that may be served, and forgets them. */
  void release(Predicate<Waiting> mayServe, Consumer<Waiting> serve) {
    for (Iterator<Waiting> i = waiting.iterator(); i.hasNext(); ) {
      Waiting w = i.next();
      if (mayServe.test(w)) {
        i.remove();
        serve.accept(w);
      }
    }
  }

  /** Forgets all reads: their mount is over. */
  void clear() {
    waiting.clear();
  }

  List<Message> requests() {
    return waiting.stream().map(Waiting::request).toList();
  }

  int size() {
    return waiting.size();
  }
}
