package org.salus.core.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.SessionError;
import org.salus.core.session.Acknowledgements;

/** When a client's lease stands, whom it waits for, and when it mounts again. */
class MountKeeperTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Claimant OWN = Claimant.alone("own");

  private final EarlierReaders earlier = new EarlierReaders(MountRules.PAPER);
  private final MountKeeper keeper =
      new MountKeeper(MountConfig.defaults(), MountRules.PAPER, KeptMount.none(OWN));

  private static Reader reader(long mountEpoch, long version, String claimId) {
    return reader(mountEpoch, version, Claimant.alone(claimId));
  }

  private static Reader reader(long mountEpoch, long version, Claimant claimant) {
    return new Reader(mountEpoch, version, claimant, false, false);
  }

  /** A claim that was sent at {@code askedAt} is answered. */
  private List<MountEffect> claimed(long mountEpoch, long askedAt, long now, Reader... others) {
    List<Reader> all = new ArrayList<>(List.of(others));
    all.add(reader(mountEpoch, 0, OWN));
    return keeper.claimed(new Claim(mountEpoch, askedAt, earlier.seen(all, now)), now);
  }

  @Test
  void leaseCountsFromTheSending() {
    assertThat(claimed(1, 0, 3 * SECOND))
        .containsExactly(
            new MountEffect.Mount(1, 0, 0, Acknowledgements.NONE, 10 * SECOND, 3 * SECOND, false));
    MountEffect.Confirm asked = new MountEffect.Confirm(1, 4 * SECOND);
    assertThat(keeper.onTick(4 * SECOND)).containsExactly(asked);
    assertThat(keeper.confirmed(asked, 9 * SECOND))
        .containsExactly(new MountEffect.Extend(14 * SECOND, 3 * SECOND));
    assertThat(keeper.confirmed(asked, 20 * SECOND)).as("nothing new").isEmpty();
  }

  @Test
  void confirmationIsAskedForEveryTwoSecondsAndAgainWhenNobodyAnswers() {
    claimed(1, 0, 0);
    long[] asked =
        LongStream.rangeClosed(1, 30)
            .filter(second -> !keeper.onTick(second * SECOND).isEmpty())
            .toArray();
    assertThat(asked).containsExactly(2, 12, 22);
    keeper.unconfirmed(new MountEffect.Confirm(1, 22 * SECOND));
    assertThat(keeper.onTick(31 * SECOND)).hasSize(1);
  }

  /**
   * ZooKeeper's library takes a server for silent after two thirds of a session, waits up to a
   * second, and asks the next one.
   */
  @Test
  void sessionInZooKeeperMovesToAnotherServerBeforeTheLeaseEnds() {
    MountConfig times = MountConfig.defaults();
    long noticed = times.confirmNanos() + times.sessionNanos() / 3 * 2;
    assertThat(noticed + SECOND).isLessThan(times.leaseNanos());
    assertThat(times.sessionNanos()).isEqualTo(9 * SECOND);
  }

  @Test
  void confirmationOfAnEarlierMountSaysNothing() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    keeper.sessionEnded(SessionError.TIMED_OUT, false, 0, 0, Acknowledgements.NONE, SECOND);
    claimed(2, SECOND, SECOND);
    assertThat(keeper.confirmed(new MountEffect.Confirm(1, 5 * SECOND), 5 * SECOND)).isEmpty();
    assertThat(keeper.claimLost(1)).isEmpty();
    assertThat(keeper.claimLost(2))
        .containsExactly(new MountEffect.EndSession(SessionError.FENCED));
  }

  @Test
  void waitCountsFromTheFirstLookAtAnUnchangedRecord() {
    earlier.seen(List.of(reader(1, 7, "a")), SECOND);
    earlier.seen(List.of(reader(1, 8, "a")), 2 * SECOND);
    earlier.seen(List.of(reader(1, 8, "a")), 5 * SECOND);
    assertThat(changesFrom(claimed(2, 6 * SECOND, 6 * SECOND, reader(1, 8, "a"))))
        .isEqualTo(12_200_000_000L);
  }

  @Test
  void eachOfSeveralEarlierWritersCounts() {
    earlier.seen(List.of(reader(1, 7, "a")), SECOND);
    earlier.seen(List.of(reader(1, 7, "a"), reader(2, 0, "b")), 3 * SECOND);
    assertThat(
            changesFrom(claimed(3, 4 * SECOND, 4 * SECOND, reader(1, 7, "a"), reader(2, 0, "b"))))
        .isEqualTo(13_200_000_000L);
  }

  @Test
  void earlierWriterThatIsKnownToHaveEndedIsNotWaitedFor() {
    assertThat(
            changesFrom(claimed(2, 0, SECOND, new Reader(1, 3, Claimant.alone("a"), true, false))))
        .isEqualTo(SECOND);
  }

  private static long changesFrom(List<MountEffect> effects) {
    return ((MountEffect.Mount) effects.get(0)).changesFrom();
  }

  @Test
  void recordsOfEarlierWritersAreForgottenOnceTheirLeasesAreOver() {
    claimed(2, 0, 0, reader(1, 7, "a"));
    MountEffect.Forget forget = new MountEffect.Forget(List.of(1L));
    assertThat(keeper.onTick(10 * SECOND)).doesNotContain(forget);
    keeper.unconfirmed(new MountEffect.Confirm(2, 10 * SECOND));
    assertThat(keeper.onTick(13 * SECOND)).contains(forget);
    keeper.unconfirmed(new MountEffect.Confirm(2, 13 * SECOND));
    assertThat(keeper.onTick(15 * SECOND)).as("until it is done").contains(forget);
    keeper.forgot(forget);
    keeper.unconfirmed(new MountEffect.Confirm(2, 15 * SECOND));
    assertThat(keeper.onTick(17 * SECOND)).doesNotContain(forget);
  }

  @Test
  void mountWithoutAUserIsNoOtherWriter() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    keeper.sessionEnded(SessionError.FENCED, true, 0, 0, Acknowledgements.NONE, 0);
    Reader masters = new Reader(2, 0, Claimant.alone("master"), false, true);
    List<MountEffect> again = claimed(3, 0, 0, masters);
    assertThat(again).hasSize(1).first().isInstanceOf(MountEffect.Mount.class);
    assertThat(changesFrom(again)).as("nobody reads under it").isZero();
  }

  @Test
  void mountWithoutAUserHidesNothingFromTheWriterBefore() {
    Reader masters = new Reader(2, 0, Claimant.alone("master"), false, true);
    assertThat(hasUnseen(claimed(3, 0, 0, reader(1, 0, "a"), masters))).isFalse();
  }

  @Test
  void mountOfAUserMayHideChangesFromTheWriterBefore() {
    Reader masters = new Reader(3, 0, Claimant.alone("master"), false, true);
    assertThat(hasUnseen(claimed(4, 0, 0, reader(1, 0, "a"), masters))).isTrue();
  }

  private static boolean hasUnseen(List<MountEffect> effects) {
    return ((MountEffect.Mount) effects.get(0)).hasUnseen();
  }

  @Test
  void sessionThatIsFencedBeforeItsClaimIsKnownToBeGoneMountsAgain() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    assertThat(keeper.sessionEnded(SessionError.FENCED, false, 0, 0, Acknowledgements.NONE, 0))
        .contains(new MountEffect.TakeVolume(1));
    keeper.givenBack(true);
    assertThat(keeper.taken(Claimant.alone("another user's"), 0))
        .as("it was another writer after all")
        .contains(new MountEffect.Over(Interruption.TAKEN));
  }

  @Test
  void mountThatIsNotThereAnyMoreMayHaveBeenAnotherWriters() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    keeper.sessionEnded(SessionError.FENCED, true, 0, 0, Acknowledgements.NONE, 0);
    assertThat(claimed(3, 0, 0))
        .contains(new MountEffect.Ending(Interruption.OVERTAKEN))
        .noneMatch(MountEffect.Mount.class::isInstance);
  }

  @Test
  void mountWithoutAUserKeepsTheRecordsOfThoseWhoMayComeBack() {
    MountKeeper masters =
        new MountKeeper(MountConfig.defaults().settling(), MountRules.PAPER, KeptMount.none(OWN));
    List<MountRules.Look> seen = earlier.seen(List.of(reader(1, 7, "a"), reader(2, 0, OWN)), 0);
    masters.claimed(new Claim(2, 0, seen), 0);
    assertThat(masters.onTick(30 * SECOND)).noneMatch(MountEffect.Forget.class::isInstance);
  }

  @Test
  void mountThatThisHandleGaveUpIsNoOtherWriter() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    assertThat(keeper.sessionEnded(SessionError.FENCED, true, 0, 0, Acknowledgements.NONE, 0))
        .containsExactly(
            new MountEffect.Unmounted(Interruption.CLAIM_LOST),
            new MountEffect.GiveBack(1, true),
            new MountEffect.TakeVolume(1));
    assertThat(claimed(3, 0, 0, reader(2, 0, OWN)).get(0)).isInstanceOf(MountEffect.Mount.class);
  }

  @Test
  void handleEndsAfterAnotherWriterThatHasComeAndGone() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    keeper.sessionEnded(SessionError.FENCED, true, 0, 0, Acknowledgements.NONE, 0);
    keeper.givenBack(true);
    assertThat(claimed(3, 0, 0))
        .containsExactly(
            new MountEffect.Ending(Interruption.OVERTAKEN), new MountEffect.GiveBack(3, true));
    assertThat(keeper.givenBack(true))
        .containsExactly(new MountEffect.Over(Interruption.OVERTAKEN));
  }

  // ---- several processes of one user ----

  private static final Claimant FIRST_PROCESS = new Claimant("user", 1, "a");
  private static final Claimant SECOND_PROCESS = new Claimant("user", 2, "b");
  private static final Acknowledgements RELIED = new Acknowledgements(4, List.of(70L, 65L));

  /** The second process of a user whose first one had mount 4. */
  private static MountKeeper second(boolean acceptsLoss) {
    return new MountKeeper(
        MountConfig.defaults().acceptingLoss(acceptsLoss),
        MountRules.PAPER,
        new KeptMount(SECOND_PROCESS, List.of(FIRST_PROCESS), 4, 70, 60, RELIED));
  }

  private static List<MountEffect> claimedBySecond(MountKeeper by, long mountEpoch, Reader... all) {
    List<MountRules.Look> looks = Stream.of(all).map(r -> new MountRules.Look(r, SECOND)).toList();
    return by.claimed(new Claim(mountEpoch, SECOND, looks), SECOND);
  }

  @Test
  void processGoesOnWithWhatTheEarlierOneHasKept() {
    for (boolean accepts : List.of(false, true)) {
      MountEffect.Mount mount = (MountEffect.Mount) claimedBySecond(second(accepts), 5).get(0);
      assertThat(mount.needed()).isEqualTo(accepts ? 60 : 70);
      assertThat(mount.told()).isEqualTo(70);
      assertThat(mount.relied()).isEqualTo(RELIED);
    }
  }

  @Test
  void claimOfAnEarlierProcessIsHarmlessAndItsLeaseIsWaitedFor() {
    List<MountEffect> then = claimedBySecond(second(false), 6, reader(5, 0, FIRST_PROCESS));
    assertThat(changesFrom(then)).isEqualTo(11_200_000_000L);
  }

  @Test
  void claimOfAProcessWithWhoseNoteThisOneDidNotBeginIsAnotherWriters() {
    Claimant later = new Claimant("user", 3, "c");
    Claimant ofACopy = new Claimant("user", 2, "c");
    Claimant beforeIt = new Claimant("user", 1, "d");
    for (Claimant by : List.of(later, ofACopy, beforeIt)) {
      assertThat(claimedBySecond(second(false), 6, reader(5, 0, by)))
          .containsExactly(
              new MountEffect.Ending(Interruption.OVERTAKEN), new MountEffect.GiveBack(6, false));
      assertThat(second(false).taken(by, 0)).contains(new MountEffect.Over(Interruption.TAKEN));
    }
  }

  @Test
  void nobodyClaimsWhereThereAreFewerMountsThanBefore() {
    assertThat(second(false).mayClaim(4, List.of())).isTrue();
    assertThat(second(false).mayClaim(3, List.of())).as("ZooKeeper was put back").isFalse();
    assertThat(second(false).mayClaim(5, List.of())).as("another writer's").isFalse();
  }

  @Test
  void recordOfAMountThatWasNotKeptStays() {
    MountKeeper keeps = second(false);
    claimedBySecond(keeps, 5);
    keeps.kept(5);
    keeps.sessionMounted();
    assertThat(keeps.sessionEnded(SessionError.FENCED, true, 0, 0, RELIED, 0))
        .contains(new MountEffect.GiveBack(5, true));
    keeps.givenBack(true);
    claimedBySecond(keeps, 6);
    assertThat(keeps.sessionEnded(SessionError.CLOSED, false, 0, 0, RELIED, 0))
        .contains(new MountEffect.GiveBack(6, false));
    keeps.givenBack(false);
    assertThat(keeps.onTick(SECOND)).contains(new MountEffect.GiveUp(5));
  }

  @Test
  void generationIsRaisedForEachProcessOfAUserWhoHasMounted() {
    KeptMount first = KeptMount.first(MountRules.PAPER, "user", "a");
    assertThat(first.by()).isEqualTo(FIRST_PROCESS);
    assertThat(first.next(MountRules.PAPER, "new", "b").by())
        .as("nobody relies on anything")
        .isEqualTo(new Claimant("new", 1, "b"));
    KeptMount mounted = new KeptMount(first.by(), List.of(), 4, 70, 60, RELIED);
    assertThat(mounted.next(MountRules.PAPER, "new", "b"))
        .isEqualTo(new KeptMount(SECOND_PROCESS, List.of(FIRST_PROCESS), 4, 70, 60, RELIED));
  }

  @Test
  void nextMountMustHaveWhatWasAcknowledged() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    keeper.sessionEnded(SessionError.TIMED_OUT, false, 70, 60, Acknowledgements.NONE, 0);
    assertThat(((MountEffect.Mount) claimed(2, 0, 0).get(0)).needed()).isEqualTo(70);
  }

  @Test
  void handleOfAUserWhoAcceptsLossesIsMountedAgainAfterOne() {
    MountKeeper accepts =
        new MountKeeper(
            MountConfig.defaults().acceptingLoss(true), MountRules.PAPER, KeptMount.none(OWN));
    for (boolean lost : List.of(true, false)) {
      long mount = lost ? 1 : 2;
      accepts.claimed(new Claim(mount, 0, List.of()), 0);
      accepts.sessionMounted();
      if (lost) {
        accepts.sessionLost();
      }
      List<MountEffect> then =
          accepts.sessionEnded(SessionError.INTEGRITY, false, 70, 60, Acknowledgements.NONE, 0);
      assertThat(then.get(0))
          .as("lost: %s", lost)
          .isEqualTo(
              lost
                  ? new MountEffect.Unmounted(Interruption.SESSION)
                  : new MountEffect.Ending(Interruption.SESSION));
      accepts.givenBack(true);
    }
  }

  /** Whatever ends the session: what was acknowledged is not forgotten before it is noted. */
  @Test
  void mountForAUserWhoAcceptsLossesKnowsWhatWasAcknowledgedToHim() {
    MountKeeper accepts =
        new MountKeeper(
            MountConfig.defaults().acceptingLoss(true), MountRules.PAPER, KeptMount.none(OWN));
    accepts.claimed(new Claim(1, 0, List.of()), 0);
    accepts.sessionMounted();
    accepts.sessionEnded(SessionError.FENCED, true, 100, 50, Acknowledgements.NONE, 0);
    accepts.givenBack(true);
    assertThat(mount(accepts, 2)).isEqualTo(List.of(50L, 100L));
    accepts.sessionEnded(SessionError.TIMED_OUT, true, 50, 0, Acknowledgements.NONE, 0);
    accepts.givenBack(true);
    assertThat(mount(accepts, 3)).as("it was not mounted").isEqualTo(List.of(50L, 100L));
    accepts.sessionMounted();
    accepts.sessionEnded(SessionError.FENCED, true, 80, 80, Acknowledgements.NONE, 0);
    accepts.givenBack(true);
    assertThat(mount(accepts, 4)).as("what was lost is noted").isEqualTo(List.of(80L, 80L));
  }

  /** What must be there at the next mount, and what was acknowledged. */
  private static List<Long> mount(MountKeeper keeper, long mountEpoch) {
    return keeper.claimed(new Claim(mountEpoch, 0, List.of()), 0).stream()
        .filter(MountEffect.Mount.class::isInstance)
        .map(MountEffect.Mount.class::cast)
        .map(m -> List.of(m.needed(), m.told()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void handleOfAUserWhoAcceptsNoLossEndsAfterOne() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    keeper.sessionLost();
    assertThat(
            keeper
                .sessionEnded(SessionError.INTEGRITY, false, 70, 60, Acknowledgements.NONE, 0)
                .get(0))
        .isEqualTo(new MountEffect.Ending(Interruption.SESSION));
  }

  @Test
  void abandonedHandleGivesBackTheClaimThatWasUnderWay() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    keeper.sessionEnded(SessionError.TIMED_OUT, false, 0, 0, Acknowledgements.NONE, 0);
    keeper.givenBack(true);
    assertThat(keeper.abandon())
        .containsExactly(
            new MountEffect.Ending(Interruption.CLOSED),
            new MountEffect.Delayed(Interruption.CLOSED));
    assertThat(claimed(2, 0, 0)).containsExactly(new MountEffect.GiveBack(2, true));
    assertThat(keeper.givenBack(true)).containsExactly(new MountEffect.Over(Interruption.CLOSED));
  }

  /** A handle whose claim is lost, and for which the next one was asked for. */
  private void isBetweenMounts() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    keeper.sessionEnded(SessionError.FENCED, true, 0, 0, Acknowledgements.NONE, 0);
    keeper.givenBack(true);
  }

  @Test
  void handleThatIsClosedWhileItsNextMountIsLateIsOverAtOnceAndGivesTheLostClaimUp() {
    isBetweenMounts();
    keeper.unreachable(0);
    assertThat(keeper.close(true, 0)).containsExactly(new MountEffect.Over(Interruption.CLOSED));
    assertThat(keeper.onTick(5 * SECOND)).containsExactly(new MountEffect.GiveUp(Long.MAX_VALUE));
    assertThat(keeper.onTick(6 * SECOND)).as("not answered").isEmpty();
    keeper.gaveUp(false, 7 * SECOND);
    assertThat(keeper.onTick(7 * SECOND)).as("a pause").isEmpty();
    assertThat(keeper.onTick(60 * SECOND)).containsExactly(new MountEffect.GiveUp(Long.MAX_VALUE));
    assertThat(keeper.isDone()).isFalse();
    keeper.gaveUp(true, 61 * SECOND);
    assertThat(keeper.onTick(200 * SECOND)).isEmpty();
    assertThat(keeper.isDone()).isTrue();
  }

  @Test
  void handleThatIsClosedDuringAClaimForWhichNobodyWaitsIsOverWhenTheClaimIsGivenBack() {
    isBetweenMounts();
    assertThat(keeper.close(false, 0)).isEmpty();
    assertThat(claimed(2, 0, 0)).containsExactly(new MountEffect.GiveBack(2, true));
    assertThat(keeper.givenBack(true)).containsExactly(new MountEffect.Over(Interruption.CLOSED));
    assertThat(keeper.isDone()).isTrue();
  }

  @Test
  void handleThatIsClosedDuringAClaimWaitsForItsAnswerNotForLong() {
    isBetweenMounts();
    keeper.close(false, 0);
    assertThat(keeper.onTick(MountKeeper.CLOSING_NANOS - 1)).isEmpty();
    assertThat(keeper.onTick(MountKeeper.CLOSING_NANOS))
        .containsExactly(new MountEffect.Over(Interruption.CLOSED));
    assertThat(keeper.isDone()).isFalse();
    assertThat(claimed(2, 0, 0)).containsExactly(new MountEffect.GiveBack(2, true));
    assertThat(keeper.givenBack(true)).isEmpty();
    assertThat(keeper.isDone()).isTrue();
  }

  @Test
  void handleWithTwoClaimsToGiveBackIsOverAfterBoth() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    keeper.sessionEnded(SessionError.FENCED, true, 0, 0, Acknowledgements.NONE, 0);
    claimed(2, 0, 0, reader(1, 0, OWN));
    keeper.close(false, 0);
    keeper.sessionEnded(SessionError.CLOSED, false, 0, 0, Acknowledgements.NONE, 0);
    assertThat(keeper.givenBack(true)).as("the first one's answer").isEmpty();
    assertThat(keeper.givenBack(true)).containsExactly(new MountEffect.Over(Interruption.SESSION));
  }

  @Test
  void recordOfAnEarlierMountThatCouldNotBeRemovedIsGivenUpAtTheEnd() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    keeper.sessionEnded(SessionError.FENCED, true, 0, 0, Acknowledgements.NONE, 0);
    keeper.givenBack(false);
    assertThat(keeper.taken(Claimant.alone("another"), 0))
        .containsExactly(new MountEffect.Over(Interruption.TAKEN));
    assertThat(keeper.onTick(SECOND)).containsExactly(new MountEffect.GiveUp(Long.MAX_VALUE));
  }

  @Test
  void mountForWhichRequestsWaitGoesOnWhenItsHandleIsClosed() {
    isBetweenMounts();
    assertThat(keeper.close(true, 0)).isEmpty();
    assertThat(claimed(2, 0, 0).get(0)).isInstanceOf(MountEffect.Mount.class);
    assertThat(keeper.close(true, 0)).isEmpty();
    assertThat(keeper.close(false, 0))
        .containsExactly(new MountEffect.EndSession(SessionError.CLOSED));
    assertThat(keeper.sessionEnded(SessionError.CLOSED, false, 0, 0, Acknowledgements.NONE, 0))
        .containsExactly(
            new MountEffect.Ending(Interruption.SESSION), new MountEffect.GiveBack(2, true));
  }

  @Test
  void claimThatCouldNotBeGivenBackAtTheEndIsGivenUp() {
    claimed(1, 0, 0);
    keeper.sessionMounted();
    keeper.close(false, 0);
    keeper.sessionEnded(SessionError.CLOSED, false, 0, 0, Acknowledgements.NONE, 0);
    assertThat(keeper.onTick(SECOND)).as("it is being given back").isEmpty();
    assertThat(keeper.givenBack(false)).containsExactly(new MountEffect.Over(Interruption.SESSION));
    assertThat(keeper.onTick(SECOND)).containsExactly(new MountEffect.GiveUp(Long.MAX_VALUE));
  }

  @Test
  void claimOfAHandleThatGoesOnIsNotGivenUp() {
    isBetweenMounts();
    keeper.unreachable(0);
    assertThat(keeper.onTick(SECOND)).containsExactly(new MountEffect.TakeVolume(1));
    claimed(2, 0, SECOND);
    assertThat(keeper.onTick(SECOND)).isEmpty();
    keeper.sessionMounted();
    keeper.sessionEnded(SessionError.CLOSED, false, 0, 0, Acknowledgements.NONE, SECOND);
    assertThat(keeper.givenBack(true)).containsExactly(new MountEffect.Over(Interruption.SESSION));
    assertThat(keeper.isDone()).as("the claim that was used is given back").isTrue();
  }
}
