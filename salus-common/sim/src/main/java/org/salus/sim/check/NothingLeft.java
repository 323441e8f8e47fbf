package org.salus.sim.check;

/**
 * A handle that has ended leaves neither a claim nor a reader's record in ZooKeeper. A claim would
 * keep the volume busy as long as the client's process lives, for this client too.
 */
public final class NothingLeft implements Checker {

  @Override
  public void handleDone(String user, boolean known) {
    if (known) {
      throw new Violation("nothing left", user + " has ended, and ZooKeeper still knows it");
    }
  }
}
