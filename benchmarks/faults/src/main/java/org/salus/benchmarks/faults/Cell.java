package org.salus.benchmarks.faults;

import java.util.Locale;
import org.salus.benchmarks.faults.history.Verdict;
import org.salus.benchmarks.faults.store.Target;

/**
 * One fault in one place at one time.
 *
 * @param scope how much of the cluster it hits, in words
 * @param faulty of three members or replicas of a region; beyond two only honesty is promised
 * @param alone whether the fault itself touches nothing but its own store
 * @param fault what is done
 */
public record Cell(
    String what,
    String place,
    String scope,
    CellPhase phase,
    int faulty,
    boolean alone,
    Action fault) {

  /** Does a fault. */
  public interface Action {
    void run(Scene scene) throws Exception;

    /** Both, this one first. */
    default Action then(Action next) {
      return scene -> {
        run(scene);
        next.run(scene);
      };
    }
  }

  /** Whether so much is faulty that no right copy is left. */
  public boolean beyondPromise() {
    return faulty > 2;
  }

  /** Whether it touches no other store than its own: other cells may run beside it. */
  public boolean isAlone(Target target) {
    return alone && (phase != CellPhase.RECOVERY || target.renewsAlone());
  }

  /** Whether a verdict is what is promised. */
  public boolean keepsPromise(Verdict v) {
    return beyondPromise() ? v.isHonest() : v.isWhole();
  }

  @Override
  public String toString() {
    return what
        + ", "
        + place
        + ", "
        + scope
        + ", during "
        + phase.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
