package org.salus.sim.check;

import java.util.Collections;
import org.salus.core.Signer;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;

/**
 * P9: the epochs of a region that have served form one chain. The master has signed each of them,
 * each builds on the one before, and each has a member of the one before. What is known never goes
 * back.
 */
public final class OneChain implements Checker {
  private final Signer signer;

  public OneChain(Signer signer) {
    this.signer = signer;
  }

  @Override
  public void epochKnown(int region, EpochRegister before, EpochRegister after) {
    if (before.equals(after)) {
      return;
    }
    EpochLink newest = after.newest();
    require(region, newest.isGenuine(signer), "no master has opened " + newest);
    require(
        region,
        before.newest() == null || newest.epoch() >= before.newest().epoch(),
        before.newest() + " was known before " + newest);
    EpochLink last = before.served();
    EpochLink served = after.served();
    if (served != null && !served.equals(last)) {
      require(
          region,
          last == null
              ? served.before().isEmpty()
              : served.before().equals(last.signature())
                  && !Collections.disjoint(served.nodes(), last.nodes()),
          served + " does not follow " + last);
    }
  }

  private static void require(int region, boolean holds, String what) {
    if (!holds) {
      throw new Violation("P9 one chain", "region " + region + ": " + what);
    }
  }
}
