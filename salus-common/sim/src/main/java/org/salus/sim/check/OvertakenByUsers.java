package org.salus.sim.check;

/**
 * A handle ends for another writer if, and only if, a user was that writer. A mount without a user
 * changes nothing that a user relies on.
 */
public final class OvertakenByUsers implements Checker {

  @Override
  public void overtaken(String user, boolean byUser) {
    if (!byUser) {
      throw new Violation("overtaken by users", user + " has ended, and no user had the volume");
    }
  }

  @Override
  public void goesOn(String user, boolean afterAnother) {
    if (afterAnother) {
      throw new Violation("overtaken by users", user + " goes on, though another had the volume");
    }
  }
}
