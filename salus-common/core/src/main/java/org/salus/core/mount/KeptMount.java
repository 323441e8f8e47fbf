package org.salus.core.mount;

import java.util.List;
import java.util.stream.Stream;
import org.salus.core.session.Acknowledgements;

/**
 * What a process keeps for the next one of its user: who it is, its last mount, and what the user
 * relies on.
 *
 * @param by the process
 * @param before the processes with whose notes it and they began, the last one first
 * @param epoch the number of its last mount, or that of the process before; 0 for none
 * @param acknowledged up to which seq changes were acknowledged to the user
 * @param durable up to which seq everything is durable
 * @param regions what was acknowledged, by region
 */
public record KeptMount(
    Claimant by,
    List<Claimant> before,
    long epoch,
    long acknowledged,
    long durable,
    Acknowledgements regions) {
  /**
   * So many processes before are known. An older one counts as another writer, and the volume is
   * refused though nobody else had it. That takes as many starts in a row that mount nothing.
   */
  public static final int MOST_BEFORE = 16;

  /** Copies the list. */
  public KeptMount {
    before = List.copyOf(before);
  }

  /** Of a process whose user has mounted nothing yet. */
  public static KeptMount none(Claimant by) {
    return new KeptMount(by, List.of(), 0, 0, 0, Acknowledgements.NONE);
  }

  /**
   * What the next process of the user begins with. A user who has mounted nothing relies on
   * nothing, and the next process begins as a user of its own. So no two processes of a user have
   * mounted nothing, and every claim of a user but the first follows a mount.
   *
   * @param newUser the id of such a user
   * @param process the next process' own id
   */
  public KeptMount next(MountRules rules, String newUser, String process) {
    if (epoch == 0) {
      return first(rules, newUser, process);
    }
    Claimant next = new Claimant(by.user(), rules.nextGeneration(by.generation()), process);
    List<Claimant> all = Stream.concat(Stream.of(by), before.stream()).limit(MOST_BEFORE).toList();
    return rules.goesOnWith(new KeptMount(next, all, epoch, acknowledged, durable, regions));
  }

  /** What the first process of a user begins with. */
  public static KeptMount first(MountRules rules, String user, String process) {
    return none(new Claimant(user, rules.nextGeneration(0), process));
  }
}
