package org.salus.core.member;

import org.salus.core.effect.MemberEffect;
import org.salus.core.message.Message.Wrote;

/**
 * The last step of the opening of an epoch at one member (paper §4.4, phase 2). Once it has the
 * epoch's first manifest on its disk, it tells the other members so. Once all have said that, it
 * shows their words to the NameNode, and takes part when that knows that the epoch serves.
 */
final class EpochBeginning {
  /** The number of periods after which a member complains of one that has not begun. */
  private static final int PATIENCE = 20;

  /**
   * The number of times that the NameNode may refuse that the epoch serves. Then another epoch
   * makes the replicas equal again: somebody has changed them, or the NameNode has lost what
   * DataNodes have reported.
   */
  private static final int MOST_REFUSALS = 20;

  private final RegionContext c;

  /** What others have said before this member has the manifest, by place. */
  private final byte[][] early;

  /** The words on the epoch's first manifest; null before it is written here. */
  private ManifestWords words;

  /** Whether the NameNode has been asked, and has not answered. */
  private boolean asked;

  private int refusals;
  private int waited;

  EpochBeginning(RegionContext c) {
    this.c = c;
    this.early = new byte[c.members.size()][];
  }

  /** The epoch's first manifest is on this member's disk. */
  void opened(ManifestWords first) {
    words = first;
    for (int i = 0; i < early.length; i++) {
      words.take(i, early[i]);
    }
    tellOthers(false); // each one says it by itself
    askIfAllHaveWritten();
  }

  /** Takes another member's word, and answers if it has not had this one's. */
  void onWrote(Wrote x) {
    if (words == null) {
      early[x.lane()] = x.word();
    } else if (x.segment() == words.segment()) {
      words.take(x.lane(), x.word());
      if (x.asks()) {
        tell(x.lane(), false);
      }
      askIfAllHaveWritten();
    }
  }

  /** The NameNode has answered. */
  void onRegistered(boolean ok) {
    asked = false;
    if (!ok && !c.serving && ++refusals % MOST_REFUSALS == 0) {
      c.out.add(
          new MemberEffect.Suspect(-1, "the NameNode does not count the replicas of its segments"));
    }
  }

  /** Ends a period: says it again, for what was said may be lost. */
  void onPeriod() {
    int missing = words == null || c.serving ? -1 : words.missing();
    if (missing >= 0) {
      tellOthers(true);
      if (++waited % PATIENCE == 0) {
        c.complain(missing, "does not say that it has the manifest of epoch " + c.epoch);
      }
    } else {
      askIfAllHaveWritten();
    }
  }

  private void tellOthers(boolean asks) {
    for (int i = 0; i < early.length; i++) {
      if (i != c.place) {
        tell(i, asks);
      }
    }
  }

  private void tell(int place, boolean asks) {
    c.out.send(c.member(place), words.told(asks));
  }

  private void askIfAllHaveWritten() {
    if (words != null && !c.serving && !asked && words.missing() < 0) {
      asked = true;
      c.out.add(new MemberEffect.RegisterEpoch(words.proof()));
    }
  }
}
