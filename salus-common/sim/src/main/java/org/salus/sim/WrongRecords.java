package org.salus.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;
import org.salus.core.replacement.Succession.Waiver;

/**
 * The wrong records of a region that a server can write into ZooKeeper.
 *
 * @param now the record that stands there
 * @param served the epoch that served last, or null
 * @param self the wrong server
 */
record WrongRecords(RrsRecord now, EpochLink served, Member self, Random random) {

  /**
   * A lone member, another member, an old record, a word that is not true, or null for none.
   *
   * @param old the records that the master has written
   */
  RrsRecord any(List<RrsRecord> old) {
    return switch (random.nextInt(5)) {
      case 0 -> opening(alone());
      case 1 -> opening(withOther());
      case 2 -> old.get(random.nextInt(old.size()));
      case 3 -> now.serving();
      default -> null;
    };
  }

  private RrsRecord opening(EpochLink link) {
    return new RrsRecord(
        link,
        State.OPENING,
        false,
        "",
        now.note(),
        null,
        now.history(),
        null,
        now.suspicions(),
        now.doubted());
  }

  /** An epoch of one member, which nobody but that member has signed. */
  private EpochLink alone() {
    EpochLink link = now.link();
    EpochLink last = now.served() == 0 ? null : served;
    return new EpochLink(
        link.region(),
        link.epoch() + 1,
        List.of(self),
        last == null ? link.holders() : last.members(),
        last == null ? 0 : last.epoch(),
        last == null ? "" : last.signature(),
        Waiver.TIME_IS_OVER,
        "by " + self.node());
  }

  /** The same or the next epoch with the wrong server in a member's place. */
  private EpochLink withOther() {
    EpochLink link = now.link();
    List<Member> others = new ArrayList<>(link.members());
    others.set(random.nextInt(others.size()), self);
    return new EpochLink(
        link.region(),
        link.epoch() + random.nextInt(2),
        others,
        link.holders(),
        link.served(),
        link.before(),
        Waiver.values()[random.nextInt(Waiver.values().length)],
        link.signature());
  }
}
