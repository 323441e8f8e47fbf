package org.salus.sim.check;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.RrsRecord.Member;

/**
 * P13: no machine has anything of two members. Each has its server, and the DataNode with its
 * replica, on machines of its own, so that a lost machine takes one member at most. Here a DataNode
 * goes by the name of its machine.
 */
public final class Apart implements Checker {
  @Override
  public void epochKnown(int region, EpochRegister before, EpochRegister after, byte[] word) {
    EpochLink newest = after.newest();
    if (newest == null || newest.equals(before.newest())) {
      return;
    }
    Set<String> taken = new TreeSet<>();
    for (Member m : newest.members()) {
      for (String machine : new TreeSet<>(List.of(m.node(), m.dataNode()))) {
        if (!taken.add(machine)) {
          throw new Violation(
              "P13 apart",
              "region "
                  + region
                  + ": "
                  + machine
                  + " has something of two members of epoch "
                  + newest.epoch()
                  + ": "
                  + newest.members());
        }
      }
    }
  }
}
