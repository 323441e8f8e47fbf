package org.salus.core.member;

import java.util.Arrays;
import org.salus.core.Endpoint;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.message.Message.Begun;
import org.salus.core.replacement.ServingProof;

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

  /** The members' words, by place; null where none has come. Others' words are not checked yet. */
  private final byte[][] words;

  /** The epoch's first manifest; null before it is written here. */
  private LogRecord manifest;

  /** The same with its certificate, as a permission. */
  private byte[] permission;

  /** Whether the NameNode has been asked, and has not answered. */
  private boolean asked;

  private int refusals;
  private int waited;

  EpochBeginning(RegionContext c) {
    this.c = c;
    this.words = new byte[c.members.size()][];
  }

  /** The epoch's first manifest is on this member's disk. */
  void opened(LogRecord first, byte[] certified) {
    manifest = first;
    permission = certified;
    words[c.place] = ServingProof.begun(first, c.self(), c.signer);
    tellOthers(false); // each one says it by itself
    askIfAllHaveBegun();
  }

  /** Takes another member's word, and answers if it has not had this one's. */
  void onBegun(Endpoint from, Begun x) {
    if (x.epoch() != c.epoch || x.lane() == c.place || !c.isAt(from, x.lane())) {
      return;
    }
    words[x.lane()] = x.word();
    if (manifest != null && x.asks()) {
      tell(x.lane(), false);
    }
    askIfAllHaveBegun();
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
    int missing = manifest == null || c.serving ? -1 : missing();
    if (missing >= 0) {
      tellOthers(true);
      if (++waited % PATIENCE == 0) {
        c.complain(missing, "does not say that it has the manifest of epoch " + c.epoch);
      }
    } else {
      askIfAllHaveBegun();
    }
  }

  private void tellOthers(boolean asks) {
    for (int i = 0; i < words.length; i++) {
      if (i != c.place) {
        tell(i, asks);
      }
    }
  }

  private void tell(int place, boolean asks) {
    c.out.send(c.member(place), new Begun(c.epoch, c.place, asks, words[c.place]));
  }

  /** The place of the first member that has not said that it has this manifest; -1 for none. */
  private int missing() {
    for (int i = 0; i < words.length; i++) {
      if (words[i] == null
          || !ServingProof.isBegun(manifest, c.members.get(i), words[i], c.signer)) {
        return i;
      }
    }
    return -1;
  }

  private void askIfAllHaveBegun() {
    if (manifest != null && !c.serving && !asked && missing() < 0) {
      asked = true;
      c.out.add(new MemberEffect.RegisterEpoch(new ServingProof(permission, Arrays.asList(words))));
    }
  }
}
