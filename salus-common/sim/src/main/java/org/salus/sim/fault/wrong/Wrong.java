package org.salus.sim.fault.wrong;

import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.salus.core.event.MemberEvents;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;
import org.salus.sim.fault.wrong.file.AbandonsBlocks;
import org.salus.sim.fault.wrong.file.Deletes;
import org.salus.sim.fault.wrong.file.ForgesRecords;
import org.salus.sim.fault.wrong.file.ForgetsTail;
import org.salus.sim.fault.wrong.file.LeavesGaps;
import org.salus.sim.fault.wrong.file.LevelsAlone;
import org.salus.sim.fault.wrong.file.LiesAboutLog;
import org.salus.sim.fault.wrong.file.RaisesStamps;
import org.salus.sim.fault.wrong.file.RevivesSegments;
import org.salus.sim.fault.wrong.file.ServesAlone;
import org.salus.sim.fault.wrong.file.TidiesAlone;
import org.salus.sim.fault.wrong.member.AnswersForOtherEpochs;
import org.salus.sim.fault.wrong.member.CommitsAhead;
import org.salus.sim.fault.wrong.member.CorruptMemory;
import org.salus.sim.fault.wrong.member.FillsWithZeros;
import org.salus.sim.fault.wrong.member.ForgesMount;
import org.salus.sim.fault.wrong.member.ForwardsOutOfOrder;
import org.salus.sim.fault.wrong.member.LiesAboutRoom;
import org.salus.sim.fault.wrong.member.LiesAtMount;
import org.salus.sim.fault.wrong.member.MisplacesPuts;
import org.salus.sim.fault.wrong.member.MixesAnswers;
import org.salus.sim.fault.wrong.member.MixesRegions;
import org.salus.sim.fault.wrong.member.Refuses;
import org.salus.sim.fault.wrong.member.RefusesFalsely;
import org.salus.sim.fault.wrong.member.ReplaysVotes;
import org.salus.sim.fault.wrong.member.SaysLost;
import org.salus.sim.fault.wrong.member.VotesEarly;
import org.salus.sim.fault.wrong.member.Withholds;
import org.salus.sim.fault.wrong.member.WrongBytes;
import org.salus.sim.fault.wrong.member.WrongMember;
import org.salus.sim.fault.wrong.member.WrongReads;

/** All members of one node are wrong in one way for a while. */
public final class Wrong implements SimFault {
  static final Supplier<SimFault> FORGETS_TAIL = withLevers("ForgetsTail", ForgetsTail::new);

  /** Every way of being wrong. */
  public static final List<Supplier<SimFault>> KINDS =
      List.of(
          of("WrongBytes", WrongBytes::new),
          of("Refuses", Refuses::new),
          of("ForwardsOutOfOrder", ForwardsOutOfOrder::new),
          of("MisplacesPuts", MisplacesPuts::new),
          of("WrongReads", WrongReads::new),
          of("CorruptMemory", CorruptMemory::new),
          of("Deletes", Deletes::new),
          of("Withholds", Withholds::new),
          of("CommitsAhead", CommitsAhead::new),
          of("VotesEarly", VotesEarly::new),
          withLevers("AbandonsBlocks", AbandonsBlocks::new),
          withLevers("RaisesStamps", RaisesStamps::new),
          withLevers("ForgesRecords", ForgesRecords::new),
          withLevers("ServesAlone", ServesAlone::new),
          withLevers("TidiesAlone", TidiesAlone::new),
          withLevers("RevivesSegments", RevivesSegments::new),
          withLevers("LeavesGaps", LeavesGaps::new),
          of("LiesAboutLog", LiesAboutLog::new),
          FORGETS_TAIL,
          withLevers("LevelsAlone", LevelsAlone::new),
          of("FillsWithZeros", FillsWithZeros::new),
          of("LiesAtMount", LiesAtMount::new),
          of("ForgesMount", ForgesMount::new),
          of("RefusesFalsely", RefusesFalsely::new),
          of("SaysLost", SaysLost::new),
          of("LiesAboutRoom", LiesAboutRoom::new),
          of("AnswersForOtherEpochs", AnswersForOtherEpochs::new),
          of("MixesAnswers", MixesAnswers::new),
          of("ReplaysVotes", ReplaysVotes::new),
          ReplaysMessages::new,
          () -> new Wrong("MixesRegions", mixesRegions()));

  /** One node is wrong while all others are away that have what it has. */
  public static final List<Supplier<SimFault>> ALONE = List.of(RightOnesAway::new);

  private static final long MILLI = 1_000_000;

  /** Makes a wrong member. */
  interface Make {
    MemberEvents make(WrongMember.Given given, Levers levers, Random random);
  }

  /** Makes a wrong member that pulls no lever. */
  interface MakeAlone {
    MemberEvents make(WrongMember.Given given, Random random);
  }

  private final String kind;
  private final Make make;
  private String node;

  private Wrong(String kind, Make make) {
    this.kind = kind;
    this.make = make;
  }

  private static Supplier<SimFault> of(String kind, MakeAlone make) {
    return () -> new Wrong(kind, (given, levers, random) -> make.make(given, random));
  }

  private static Supplier<SimFault> withLevers(String kind, Make make) {
    return () -> new Wrong(kind, make);
  }

  private static Make mixesRegions() {
    MixesRegions.Seen seen = new MixesRegions.Seen();
    return (given, levers, random) -> new MixesRegions(given, random, seen);
  }

  @Override
  public String kind() {
    return kind;
  }

  @Override
  public void inject(Levers c, Random random) {
    String chosen = c.nodes().get(random.nextInt(c.nodes().size()));
    if (c.isUp(chosen) && c.budget().mayBeWrong(chosen)) {
      node = chosen;
      c.trace("fault: the members of " + node + " are wrong: " + kind);
      c.budget().turnsWrong(node);
      Random own = new Random(random.nextLong());
      c.makeWrong(
          node,
          (spec, seat, signer, config) ->
              make.make(new WrongMember.Given(spec, seat, signer, config), c, own));
    }
  }

  @Override
  public void heal(Levers c) {
    if (node != null) {
      c.makeWrong(node, null);
      String right = node;
      // Its replicas count only once epochs without it or after it have begun.
      c.after(500 * MILLI, () -> c.whenWholeWith(right, () -> c.budget().isRightAgain(right)));
      node = null;
    }
  }
}
