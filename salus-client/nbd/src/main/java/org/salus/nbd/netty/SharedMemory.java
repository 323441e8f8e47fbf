package org.salus.nbd.netty;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.salus.nbd.NbdLimits;

/**
 * The memory that the requests of all connections share. It goes to those who wait for it in the
 * order in which they came, so that small requests do not starve large ones. Every method must be
 * called on the loop that all connections share.
 */
final class SharedMemory {

  /** A connection. */
  interface User {

    /** Tries again to take memory; only if it waits for some. */
    void goOn();

    /**
     * Whether it holds memory until its client acts, and nothing has moved between it and its
     * client since the last call.
     */
    boolean standsStill();

    /** Ends, since it stands still and others wait for its memory. */
    void evict();
  }

  private final NbdLimits limits;
  private final Set<User> users = new LinkedHashSet<>();
  private final Set<User> waiting = new LinkedHashSet<>();

  /** Only the loop changes it; any thread may look. */
  private volatile long used;

  private boolean looking;

  SharedMemory(NbdLimits limits) {
    this.limits = limits;
  }

  /** Adds a connection, if there may be one more. */
  boolean join(User u) {
    return users.size() < limits.connections() && users.add(u);
  }

  /** Removes a connection, which has given back all that it took, or will. */
  void leave(User u) {
    users.remove(u);
    waiting.remove(u);
    wakeFirst();
  }

  /**
   * Takes memory for a request, or lets the connection wait for it.
   *
   * @param bytes a request that needs more than there is at all has it alone
   * @param on the loop
   */
  boolean take(User u, long bytes, EventExecutor on) {
    boolean first = waiting.isEmpty() || waiting.iterator().next() == u;
    if (first && (used == 0 || used + bytes <= limits.memory())) {
      used = used + bytes;
      if (waiting.remove(u)) {
        wakeFirst();
      }
      return true;
    }
    waiting.add(u);
    lookLater(on);
    return false;
  }

  /** Gives back what {@link #take} took. */
  void give(long bytes) {
    used = used - bytes;
    wakeFirst();
  }

  /** The bytes that are taken. Any thread may ask. */
  long used() {
    return used;
  }

  private void wakeFirst() {
    if (!waiting.isEmpty()) {
      waiting.iterator().next().goOn();
    }
  }

  private void lookLater(EventExecutor on) {
    if (!looking) {
      looking = true;
      users.forEach(User::standsStill); // what moves from now on counts
      on.schedule(() -> look(on), limits.patience().toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  /** Ends the connections that have stood still since the last look, while others wait. */
  private void look(EventExecutor on) {
    looking = false;
    if (!waiting.isEmpty()) {
      List<User> still = new ArrayList<>(users);
      still.removeIf(u -> !u.standsStill());
      still.forEach(User::evict);
      lookLater(on);
    }
  }
}
