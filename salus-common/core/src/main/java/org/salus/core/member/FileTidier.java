package org.salus.core.member;

import java.util.TreeMap;
import org.salus.core.effect.MemberEffect.Tidy;
import org.salus.core.log.ManifestBody;
import org.salus.core.message.Message.Wrote;

/**
 * Lets M0 complete and delete files for a manifest once all members have said that they have that
 * manifest on their disks, and with it all before (paper §4.2.1). The NameNode asks for these
 * words. A file that is completed earlier may be longer than a right member's replica, and one that
 * is deleted earlier may be what a right member's log still names.
 */
final class FileTidier {
  /**
   * The periods without a word after which M0 complains of a member. Only space waits for it, so
   * this is longer than what any user waits for.
   */
  private static final int PATIENCE = 120;

  private final RegionContext c;

  /** What is not handed over yet, by the segment of its manifest. */
  private final TreeMap<Long, Manifest> waiting = new TreeMap<>();

  /** At M0, the newest word of each member on a manifest that is not written here yet, by place. */
  private final Wrote[] early;

  /** The periods without a word that M0 waits for, by place. */
  private final int[] waited;

  private ManifestWords newest;

  /** The segment of the epoch's first manifest. Its words are told by {@link EpochBeginning}. */
  private long first;

  private record Manifest(ManifestBody body, ManifestWords words) {}

  FileTidier(RegionContext c) {
    this.c = c;
    this.early = new Wrote[c.members.size()];
    this.waited = new int[c.members.size()];
  }

  /** A manifest is on this member's disk. */
  void written(ManifestBody body, ManifestWords words) {
    waiting.put(words.segment(), new Manifest(body, words));
    first = newest == null ? words.segment() : first;
    newest = words;
    for (int i = 0; i < early.length; i++) {
      if (early[i] != null && early[i].segment() <= words.segment()) {
        take(words, early[i]);
        early[i] = null;
      }
    }
    if (words.segment() > first && !c.isPrimary()) {
      tell(0, false);
    }
    letGo();
  }

  /** Takes another member's word, and answers M0's question with this one's newest. */
  void onWrote(Wrote x) {
    Manifest of = waiting.get(x.segment());
    if (of != null) {
      take(of.words, x);
      letGo();
    } else if (isAhead(x)) {
      early[x.lane()] = x;
    }
    if (x.asks() && newest != null && x.segment() > first) {
      tell(x.lane(), false);
    }
  }

  /** Whether M0 has proposed the manifest, but has not written it yet. The newest one counts. */
  private boolean isAhead(Wrote x) {
    Wrote known = early[x.lane()];
    return c.isPrimary()
        && c.serving
        && x.segment() > newest.segment()
        && x.segment() <= c.next.segment()
        && (known == null || known.segment() < x.segment());
  }

  private void take(ManifestWords words, Wrote x) {
    if (words.take(x.lane(), x.word())) {
      waited[x.lane()] = 0;
    }
  }

  /**
   * Ends a period: M0 asks again about its newest manifest, for what was said may be lost. A member
   * that is ahead of M0 has nothing to be blamed for.
   */
  void onPeriod() {
    if (!c.isPrimary() || !c.serving || waiting.isEmpty()) {
      return;
    }
    for (int i = 0; i < waited.length; i++) {
      if (newest.lacks(i) && early[i] == null) {
        tell(i, true);
        if (++waited[i] % PATIENCE == 0) {
          c.complain(i, "does not say that it has the manifest of segment " + newest.segment());
        }
      }
    }
  }

  private void tell(int place, boolean asks) {
    c.out.send(c.member(place), newest.told(asks));
  }

  /**
   * Hands over the newest that need not wait. It does what the earlier ones would. Members other
   * than M0 change nothing at the NameNode.
   */
  void letGo() {
    if (!c.serving) {
      return;
    }
    for (Manifest m : waiting.descendingMap().values()) {
      if (!c.isPrimary() || m.words.missing() < 0) {
        long segment = m.words.segment();
        waiting.headMap(segment, true).clear();
        c.out.add(new Tidy(m.body, segment, m.words.proof(), c.isPrimary()));
        return;
      }
    }
  }
}
