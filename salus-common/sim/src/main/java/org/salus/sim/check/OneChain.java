package org.salus.sim.check;

import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Permission;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.MalformedException;

/**
 * P9: the epochs of a region that have served form one chain. The master has signed each of them,
 * each builds on the one before and calls its members the holders, and all members of an epoch have
 * signed a manifest. What is known never goes back.
 */
public final class OneChain implements Checker {
  private final Signer signer;

  public OneChain(Signer signer) {
    this.signer = signer;
  }

  @Override
  public void epochKnown(int region, EpochRegister before, EpochRegister after, byte[] word) {
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
              : served.before().equals(last.signature()) && served.holders().equals(last.members()),
          served + " does not follow " + last);
      require(
          region, isSignedByAll(served, word), "not all members say that " + served + " serves");
    }
  }

  private boolean isSignedByAll(EpochLink link, byte[] word) {
    try {
      Decoder d = new Decoder(word);
      d.u8();
      Permission p = Permission.decode(d.bytes());
      return p.record().type() == LogRecord.Type.MANIFEST
          && p.record().epoch() == link.epoch()
          && p.record().region().equals(link.region())
          && p.record().certifiedBy(link.nodes(), p.signatures(), signer);
    } catch (MalformedException e) {
      return false;
    }
  }

  private static void require(int region, boolean holds, String what) {
    if (!holds) {
      throw new Violation("P9 one chain", "region " + region + ": " + what);
    }
  }
}
