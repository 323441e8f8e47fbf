package org.salus.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.salus.core.log.LogRules;
import org.salus.core.member.MemberRules;
import org.salus.core.mount.LossRules;
import org.salus.core.mount.MountRules;
import org.salus.core.replacement.EpochRules;
import org.salus.core.replacement.KeeperRules;
import org.salus.core.session.SessionRules;
import org.salus.sim.FaultPlan.Timed;
import org.salus.sim.check.Violation;
import org.salus.sim.parts.MemberMaker;

/** Each planted bug is caught. The test prints by which seed. */
@Execution(ExecutionMode.CONCURRENT)
class PlantedBugsTest {
  /** The number of seeds within which a bug must be caught. */
  private static final int SEEDS = 400;

  /**
   * The first seeds that caught the bugs that few seeds show. They are tried first, so that a bug
   * is caught at once while its run stays as it was. Otherwise the other seeds catch it, as always.
   */
  private static final Map<String, Long> TRIED_FIRST =
      Map.ofEntries(
          Map.entry("notes less than was acknowledged", 21L),
          Map.entry("takes a failure of the network for the end of the log", 29L),
          Map.entry("notes again what was accepted", 57L),
          Map.entry("merges a loss with that of a later mount", 1820L),
          Map.entry("takes M0's word for a sign of room", 661L),
          Map.entry("goes on after another user", 119L),
          Map.entry("retires holders whatever the user relies on", 109L),
          Map.entry("lets epochs fork", 105L),
          Map.entry("lets M0 leave members' replicas out", 210L),
          Map.entry("counts the lease from the answer", 126L),
          Map.entry("counts from an old look at a reader", 478L),
          Map.entry("takes an epoch that is over", 55L),
          Map.entry("ends after a mount of the master", 31L),
          Map.entry("puts unchecked signatures into certificates", 104L),
          Map.entry("tells the root of a half read tree", 519L),
          Map.entry("shows what an earlier writer has not seen", 2821L),
          Map.entry("takes what was meant for another region", 83L),
          Map.entry("takes NO for YES", 226L),
          Map.entry("believes a leader about the other participants", 54L),
          Map.entry("goes on though its note may lack something", 882L),
          Map.entry("counts votes of another epoch", 51L));

  /** The property that a bug breaks, where another checker or a crash might notice it first. */
  private static final Map<String, String> BREAKS =
      Map.of(
          "puts two members' replicas on one DataNode", "P13 apart",
          "takes a failure of the network for the end of the log", "P3 prefix");

  /** The requests of a long run. */
  private static final int LONG = 600;

  /** The requests of a run in which an epoch discards segments. */
  private static final int LATE = 4_000;

  /** The options of a run with any faults, or only with those kinds that can show the bug. */
  private static SimOptions options(String... kinds) {
    return kinds.length == 0
        ? SimOptions.standard()
        : SimOptions.standard().withFaults(FaultPlan.only(kinds));
  }

  private static Arguments member(String bug, MemberMaker f, String... kinds) {
    return Arguments.of(bug, options(kinds).withMembers(f));
  }

  private static Arguments member(String bug, MemberRules rules, String... kinds) {
    return Arguments.of(bug, options(kinds).withMembers(rules));
  }

  /** A bug of members that the NameNode, too, would keep from doing harm. */
  private static Arguments unguarded(String bug, MemberRules rules, String... kinds) {
    return Arguments.of(
        bug, options(kinds).withMembers(rules).withReaders(LogMutants.LEAVES_MEMBERS_OUT));
  }

  /** A bug of leaders and sessions alike: each checks what the other might let pass. */
  private static Arguments votes(String bug, MemberRules m, SessionRules s, String... kinds) {
    return Arguments.of(bug, options(kinds).withMembers(m).withSessions(s));
  }

  private static Arguments session(String bug, SessionRules rules, String... kinds) {
    return Arguments.of(bug, options(kinds).withSessions(rules));
  }

  private static Arguments reader(String bug, LogRules rules, String... kinds) {
    return Arguments.of(bug, options(kinds).withReaders(rules));
  }

  /** A bug that only shows once an epoch has discarded segments that it has created. */
  private static Arguments late(String bug, LogRules rules, String kind) {
    return Arguments.of(
        bug,
        options()
            .withRequests(LATE)
            .withFaults(FaultPlan.script(new Timed(kind, 200, 60_000)))
            .withReaders(rules));
  }

  private static Arguments chain(String bug, EpochRules rules, String... kinds) {
    return Arguments.of(bug, options(kinds).withEpochs(rules));
  }

  private static Arguments keeper(String bug, KeeperRules rules, String... kinds) {
    return Arguments.of(bug, options(kinds).withKeepers(rules));
  }

  private static Arguments losses(String bug, LossRules rules, String... kinds) {
    return Arguments.of(bug, options(kinds).withLosses(rules));
  }

  private static Arguments mount(String bug, MountRules rules, String... kinds) {
    return Arguments.of(bug, options(kinds).withMounts(rules));
  }

  static Stream<Arguments> bugs() {
    return Stream.of(
            bugsOfLeases(),
            bugsOfProcesses(),
            bugsOfLosses(),
            bugsOfTheChain(),
            bugsOfMembers(),
            bugsOfPlaces(),
            bugsOfRecovery(),
            bugsOfTheLog(),
            bugsOfSessions())
        .flatMap(b -> b);
  }

  private static Stream<Arguments> bugsOfTheChain() {
    return Stream.of(
        keeper("waits for no holder that is away", KeeperMutants.WAITS_FOR_NOBODY, "RightOnesAway"),
        keeper("lets one member go on alone", KeeperMutants.LETS_ONE_GO_ON_ALONE, "RightOnesAway"),
        chain("takes a forged epoch", EpochMutants.TAKES_FORGED, "ForgesRecords"),
        chain("lets epochs fork", EpochMutants.FORKS, "ServerCrash", "AllServersCrash"),
        chain("takes an epoch that is over", EpochMutants.GOES_BACK, "ForgesRecords"),
        chain(
            "takes one member's word that its epoch serves",
            EpochMutants.TRUSTS_ONE_MEMBER,
            "ForgesRecords"),
        chain(
            "serves when one member has its manifest", EpochMutants.SERVES_WITH_ONE, "ServesAlone"),
        Arguments.of(
            "takes more for the log than was certified",
            options()
                .withEpochs(EpochMutants.FORGETS_WHERE_THE_LOG_ENDED)
                .withFaults(
                    FaultPlan.script(
                        new Timed("UnheardCrash", 450, 700),
                        new Timed("FilesStayOpen", 450, 4450),
                        new Timed("LateReports", 480, 1050),
                        new Timed("ServerCrash", 1900, 2950)))),
        chain(
            "serves before its replicas count",
            EpochMutants.SERVES_UNCOUNTED,
            "RaisesStamps",
            "SlowDataNodes"),
        reader(
            "finishes files before its epoch serves",
            LogMutants.ENDS_TOO_EARLY,
            "LevelsAlone",
            "AllServersCrash"),
        member(
            "retires holders whatever the user relies on",
            MemberMutants.RETIRES_HOLDERS,
            "RightOnesAway"),
        chain(
            "completes files by a manifest that one member has",
            EpochMutants.TIDIES_WITH_ONE,
            "TidiesAlone"),
        member(
            "votes before the NameNode knows its epoch",
            EpochMutants.BEGINS_EARLY,
            "ForgesRecords"));
  }

  private static Stream<Arguments> bugsOfLeases() {
    return Stream.of(
        session("reads without a lease", MountMutants.READS_WITHOUT_LEASE, "WriterCutOff"),
        session(
            "acknowledges while an earlier writer reads",
            MountMutants.ACKNOWLEDGES_EARLY,
            "WriterCutOff"),
        session(
            "shows its changes while an earlier writer reads",
            MountMutants.SHOWS_EARLY,
            "WriterCutOff"),
        mount(
            "counts the lease from the answer",
            MountMutants.COUNTS_FROM_THE_ANSWER,
            "WriterCutOff"),
        mount("waits for no earlier writer", MountMutants.WAITS_FOR_NOBODY, "WriterCutOff"),
        mount(
            "shows what an earlier writer has not seen", MountMutants.SHOWS_UNSEEN, "WriterCutOff"),
        mount(
            "counts from an old look at a reader",
            MountMutants.COUNTS_FROM_AN_OLD_LOOK,
            "WriterCutOff"),
        mount(
            "ends after a mount of the master",
            MountMutants.STOPS_AFTER_THE_MASTER,
            "WriterLeaseLoss"),
        mount(
            "goes on after another user",
            MountMutants.GOES_ON_AFTER_ANYBODY,
            "FightingClients",
            "WriterLeaseLoss"),
        mount("leaves a claim behind when it is closed", MountMutants.LEAVES_CLAIMS));
  }

  private static Stream<Arguments> bugsOfProcesses() {
    return Stream.of(
        mount(
            "takes any process of its user for an earlier one",
            MountMutants.TAKES_ANY_PROCESS_FOR_AN_EARLIER_ONE,
            "AnotherProcess"),
        mount(
            "goes by the generation of a process only",
            MountMutants.GOES_BY_THE_GENERATION_ONLY,
            "AnotherProcess"),
        mount(
            "forgets what an earlier process has acknowledged",
            MountMutants.FORGETS_WHAT_WAS_KEPT,
            "AnotherProcess",
            "ServersLosePower"),
        mount(
            "forgets the record of a mount too early",
            MountMutants.FORGETS_MOUNTS_TOO_EARLY,
            "AnotherProcess"),
        mount(
            "goes on though its note may lack something",
            MountMutants.GOES_ON_UNCERTAIN,
            "AnotherProcess",
            "PowerCut"));
  }

  private static Stream<Arguments> bugsOfLosses() {
    return Stream.of(
        session("notes a loss too late", SessionMutants.NOTES_TOO_LATE, "PowerCut"),
        session(
            "ends for a loss without a note", SessionMutants.ENDS_WITHOUT_NOTE, "ServersLosePower"),
        session(
            "notes less than was acknowledged",
            SessionMutants.NOTES_TOO_LITTLE,
            "ServersLosePower"),
        session(
            "notes that too much is left",
            SessionMutants.NOTES_TOO_HIGH_A_PREFIX,
            "ServersLosePower"),
        losses(
            "merges a loss with that of a later mount",
            LossMutants.MERGES_BLINDLY,
            "ServersLosePower"),
        losses(
            "notes again what was accepted",
            LossMutants.FORGETS_WHAT_IS_ACCEPTED,
            "ServersLosePower"),
        losses(
            "accepts what nobody has seen",
            LossMutants.ACCEPTS_WHAT_NOBODY_HAS_SEEN,
            "ServersLosePower"),
        mount(
            "forgets what was acknowledged before a loss",
            MountMutants.FORGETS_WHAT_IS_TOLD,
            "ServersLosePower"),
        losses("takes the last word for the newest", LossMutants.TAKES_THE_LAST_WORD),
        losses("gives a note up", LossMutants.GIVES_NOTES_UP));
  }

  private static Stream<Arguments> bugsOfMembers() {
    return Stream.of(
        member("accepts a sub-batch whatever stands before it", LogMutants.SKIPS_PREV_NUM),
        member("accepts an altered payload", MemberMutants.IGNORES_PAYLOAD_CRC, "AlteredMessages"),
        member(
            "puts unchecked signatures into certificates",
            MemberMutants.TRUSTS_SIGNATURES,
            "AlteredMessages"),
        member("takes M0's word for a session's", MemberMutants.TRUSTS_PRIMARY, "ForgesMount"),
        member(
            "takes what was meant for another region",
            MemberMutants.TAKES_FOR_ANY_REGION,
            "MixesRegions"),
        member(
            "votes without checking the certificate",
            MemberMutants.TRUSTS_CERTIFICATES,
            "AlteredMessages"),
        member("commits without confirmation", MemberMutants.COMMITS_UNCONFIRMED),
        member("commits without all votes", MemberMutants.COMMITS_WITHOUT_ALL_VOTES),
        votes(
            "counts votes of another epoch",
            MemberMutants.COUNTS_VOTES_OF_OTHER_EPOCHS,
            SessionMutants.COUNTS_VOTES_OF_OTHER_EPOCHS,
            "AnswersForOtherEpochs"),
        member("takes NO for YES", MemberMutants.IGNORES_NO, "MisplacesPuts"),
        member("serves reads before the watermark", MemberMutants.READS_EARLY),
        member(
            "votes before the record is durable",
            MemberMutants.VOTES_BEFORE_DURABLE,
            "AllServersCrash"),
        member("acknowledges without fsync", MemberMutants.NEVER_SYNCS, "PowerCut"),
        member("shows the NameNode a wrong permission", MemberMutants.SHOWS_WRONG_PERMISSION),
        member("lets the oldest version win a compaction", MemberMutants.COMPACTS_BACKWARDS),
        member(
            "drops the newest checkpoint in a compaction", MemberMutants.COMPACTS_WITHOUT_NEWEST),
        member("looks up the oldest checkpoint first", MemberMutants.READS_OLDEST_CHECKPOINT));
  }

  private static Stream<Arguments> bugsOfPlaces() {
    return Stream.of(
        keeper(
            "puts two members' replicas on one DataNode",
            KeeperMutants.SHARES_DATA_NODES,
            "ReplicaElsewhere"),
        Arguments.of(
            "takes a failure of the network for the end of the log",
            SimOptions.standard()
                .withFaults(
                    FaultPlan.script(
                        new Timed("ReplicaElsewhere", 50, 3500),
                        new Timed("OthersLoseTails", 600, 3500)))
                .withReaders(LogMutants.ENDS_WHERE_READING_FAILS)));
  }

  private static Stream<Arguments> bugsOfRecovery() {
    return Stream.of(
        member(
            "opens an epoch without the newest segment",
            MemberMutants.FORGETS_NEWEST_SEGMENT,
            "AllServersCrash"),
        unguarded(
            "recovers only what the NameNode knows",
            MemberMutants.RECOVERS_WHAT_IS_LISTED,
            "NameNodeRestart"),
        unguarded(
            "takes M0's word that its replica is equal",
            MemberMutants.TRUSTS_RECOVERY,
            "LevelsAlone"),
        unguarded(
            "is a holder of what was left behind",
            MemberMutants.HOLDS_WHAT_IS_LEFT_BEHIND,
            "NameNodeRestart"),
        unguarded(
            "recovers without slow DataNodes",
            MemberMutants.GOES_ON_WITHOUT_SLOW_ONES,
            "SlowDataNodes"),
        member(
            "takes a replica of the right length for equal",
            MemberMutants.TRUSTS_LENGTHS,
            "FillsWithZeros"),
        reader(
            "lets M0 cut what a member has found valid",
            LogMutants.CUTS_AS_TOLD,
            "FillsWithZeros",
            "AllServersCrash"),
        reader(
            "lets M0 cut what no member has looked at",
            LogMutants.CUTS_THE_UNKNOWN,
            "FillsWithZeros",
            "SlowDataNodes"),
        reader(
            "counts replicas whose DataNodes have not reported them",
            LogMutants.COUNTS_THE_UNREPORTED,
            "LevelsAlone",
            "AllServersCrash"),
        reader(
            "lets M0 leave members' replicas out",
            LogMutants.LEAVES_MEMBERS_OUT,
            "LevelsAlone",
            "ServerCrash"));
  }

  private static Stream<Arguments> bugsOfTheLog() {
    return Stream.of(
        member(
            "does not fence an older mount's writes",
            LogMutants.DOES_NOT_FENCE,
            "ClientTakeover",
            "FightingClients"),
        member(
            "accepts an older mount",
            LogMutants.ACCEPTS_OLD_MOUNTS,
            "ClientTakeover",
            "FightingClients"),
        member(
            "resolves a mount twice", LogMutants.RESOLVES_AGAIN, "FightingClients", "ServerCrash"),
        member("flushes an undecided segment", LogMutants.FLUSHES_UNDECIDED),
        member("settles what is only logged", LogMutants.SETTLES_EARLY),
        member("drops a checkpoint too early", LogMutants.DROPS_CHECKPOINT, "AllServersCrash"),
        member("drops a segment too early", LogMutants.DROPS_SEGMENT, "AllServersCrash"),
        member(
            "forgets the watermark at a mount",
            MemberMutants.FORGETS_WATERMARK,
            "ClientCrash",
            "ServerCrash"),
        member(
            "tells the root of a half read tree",
            MemberMutants.TELLS_HALF_READ_ROOT,
            "ServerCrash"),
        reader(
            "reads records without a certificate",
            LogMutants.IGNORES_CERTIFICATE,
            "EverythingCrashes"),
        reader("gives replicas stamps as it is told", LogMutants.RAISES_AS_TOLD, "RaisesStamps"),
        reader("takes invented stamps", LogMutants.TAKES_INVENTED_STAMPS, "RaisesStamps"),
        reader("gives up blocks", LogMutants.ABANDONS_BLOCKS, "AbandonsBlocks"),
        reader("commits blocks by adding others", LogMutants.ADDS_BLOCKS, "AbandonsBlocks"),
        late("creates segments again", LogMutants.CREATES_AGAIN, "RevivesSegments"),
        late("deletes segments before older ones", LogMutants.LEAVES_GAPS, "LeavesGaps"));
  }

  private static Stream<Arguments> bugsOfSessions() {
    return Stream.of(
        session("acknowledges on two lanes", SessionMutants.ACKNOWLEDGES_ON_TWO_LANES),
        session("acknowledges on one lane", SessionMutants.ACKNOWLEDGES_ON_ONE_LANE),
        session("says that nothing was sent", SessionMutants.DOUBTS_NOTHING),
        session("reads blocks before an earlier write", SessionMutants.READS_BEFORE_WRITES),
        session("merges parts with what was zeroed", SessionMutants.FORGETS_ZEROS),
        session(
            "believes a leader about the other participants",
            SessionMutants.ACKNOWLEDGES_BY_LEADERS_ONLY,
            "CommitsAhead"),
        session(
            "issues nothing again after a replacement",
            SessionMutants.REISSUES_NOTHING,
            "ServerCrash"),
        session(
            "takes an answer to another question", SessionMutants.TAKES_ANSWERS_TO_OTHER_QUESTIONS),
        session("never sends again", SessionMutants.NEVER_RESENDS),
        session(
            "mounts at too short a prefix",
            SessionMutants.MOUNTS_TOO_SHORT,
            "EverythingCrashes",
            "ClientTakeover"),
        session(
            "mounts at too long a prefix",
            SessionMutants.MOUNTS_TOO_LONG,
            "ClientCrash",
            "EverythingCrashes"),
        session(
            "goes on without what was acknowledged",
            SessionMutants.GOES_ON_AFTER_LOSS,
            "ServersLosePower"),
        session(
            "believes a member that it is fenced",
            SessionMutants.BELIEVES_FENCED,
            "RefusesFalsely"),
        session(
            "believes a member that its log is lost",
            SessionMutants.BELIEVES_LOST,
            "RefusesFalsely"),
        session(
            "adds up what members of different epochs have lost",
            SessionMutants.ADDS_UP_EPOCHS,
            "SaysLost",
            "OperatorReplaces"),
        session(
            "hands out what the tree does not confirm",
            SessionMutants.CHECKS_NO_TREE,
            "WrongReads"),
        session(
            "sends changes where there was no room",
            SessionMutants.WRITES_WITHOUT_ROOM,
            "FullDisks"),
        Arguments.of(
            "takes M0's word for a sign of room",
            options("LiesAboutRoom") // it takes many writes
                .withRequests(LONG)
                .withSessions(SessionMutants.TRUSTS_WORD_OF_ROOM)),
        session("writes blocks that are being read", SessionMutants.WRITES_WHILE_READING));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bugs")
  void isCaught(String bug, SimOptions options) {
    LongStream first = Stream.ofNullable(TRIED_FIRST.get(bug)).mapToLong(seed -> seed);
    assertThat(
            LongStream.concat(first, LongStream.rangeClosed(1, SEEDS))
                .anyMatch(seed -> catches(seed, bug, options)))
        .as("caught by one of %s seeds: %s", SEEDS, bug)
        .isTrue();
  }

  private static boolean catches(long seed, String bug, SimOptions options) {
    try {
      new Simulation(seed, options).run();
      return false;
    } catch (Violation | IllegalStateException e) {
      System.out.println(bug + ": caught by seed " + seed + ": " + e.getMessage());
      if (!String.valueOf(e.getMessage()).startsWith(BREAKS.getOrDefault(bug, ""))) {
        return false;
      }
    }
    assertThatCode(() -> new Simulation(seed, options.withoutBugs()).run())
        .as("the product's rules under seed %s", seed)
        .doesNotThrowAnyException();
    return true;
  }
}
