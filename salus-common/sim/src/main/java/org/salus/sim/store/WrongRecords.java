package org.salus.sim.store;

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
public record WrongRecords(RrsRecord now, EpochLink served, Member self) {

  /**
   * A lone member, another member, an old record, a word that is not true, or null for none.
   *
   * @param old the records that the master has written
   */
  public RrsRecord any(List<RrsRecord> old, Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> alone();
      case 1 ->
          withOther(
              random.nextInt(now.members().size()),
              random.nextInt(2),
              Waiver.values()[random.nextInt(Waiver.values().length)]);
      case 2 -> old.get(random.nextInt(old.size()));
      case 3 -> now.serving();
      default -> null;
    };
  }

  /** A record that says of an epoch that it has not served. */
  public RrsRecord opening(EpochLink link) {
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
  public RrsRecord alone() {
    EpochLink link = now.link();
    EpochLink last = now.served() == 0 ? null : served;
    return opening(
        new EpochLink(
            link.region(),
            link.epoch() + 1,
            List.of(self),
            last == null ? link.holders() : last.members(),
            last == null ? 0 : last.epoch(),
            last == null ? "" : last.signature(),
            Waiver.TIME_IS_OVER,
            "by " + self.node()));
  }

  /**
   * The same or a later epoch with the wrong server in a member's place.
   *
   * @param later by how many numbers the epoch is later
   */
  public RrsRecord withOther(int place, int later, Waiver waiver) {
    EpochLink link = now.link();
    List<Member> others = new ArrayList<>(link.members());
    others.set(place, self);
    return opening(
        new EpochLink(
            link.region(),
            link.epoch() + later,
            others,
            link.holders(),
            link.served(),
            link.before(),
            waiver,
            link.signature()));
  }
}
