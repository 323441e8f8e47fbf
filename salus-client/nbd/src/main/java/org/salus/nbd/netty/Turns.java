package org.salus.nbd.netty;

import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.salus.client.Volume;

/**
 * Lets one connection at a time use a volume: the newest. A client that connects anew sends again
 * what was not answered, and goes on. What an earlier connection still holds would undo that, so
 * that connection ends, and the new one waits until what has begun there is answered. Every method
 * must be called on the loop that all connections share.
 */
final class Turns {
  /** The connections of each volume that have begun something, or may, the oldest first. */
  private final Map<Volume, Set<NbdHandler>> users = new IdentityHashMap<>();

  /** A connection is about to use a volume: the others end. */
  void enter(Volume v, NbdHandler next) {
    Set<NbdHandler> all = users.computeIfAbsent(v, any -> new LinkedHashSet<>());
    Set.copyOf(all).forEach(NbdHandler::replaced);
    all.add(next);
  }

  /** Whether it is this connection's turn. */
  boolean has(Volume v, NbdHandler user) {
    Set<NbdHandler> all = users.get(v);
    return all != null && all.size() == 1 && all.contains(user);
  }

  /** A connection has ended, and all that it had begun is answered. */
  void leave(Volume v, NbdHandler user) {
    Set<NbdHandler> all = users.get(v);
    if (all != null && all.remove(user)) {
      if (all.isEmpty()) {
        users.remove(v);
      } else if (all.size() == 1) {
        all.iterator().next().goOn();
      }
    }
  }
}
