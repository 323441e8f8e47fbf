package org.salus.core.replacement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MemberChoiceTest {
  private static final List<String> HOLDERS = List.of("a", "b", "c");

  private MemberChoice choice = new MemberChoice(Suspicions.NONE);
  private int epoch = 7;
  private int served = 7;

  /** Ends an epoch of these members, and returns the suspect that the next one is without. */
  private String suspectAfter(Cause cause, String named, String... members) {
    choice.ended(epoch, served, List.of(members), cause, named);
    String suspect = choice.suspect();
    choice.ended(epoch, served, List.of(members), cause, named);
    assertThat(choice.suspect()).as("the same when told twice").isEqualTo(suspect);
    choice = new MemberChoice(choice.suspicions()); // another master's
    epoch++;
    return suspect;
  }

  /** Lets this holder fail an epoch, and returns the members of the next one. */
  private List<String> after(String failed) {
    suspectAfter(Cause.FAILED, failed, "a", "b", "c");
    return choice.members(HOLDERS, Stream::empty, 3, 1);
  }

  @Test
  void othersFillThePlacesOfThoseThatFailed() {
    suspectAfter(Cause.FAILED, "b", "a", "b", "c");
    assertThat(choice.members(HOLDERS, () -> Stream.of("d", "e"), 3, 1))
        .containsExactly("a", "c", "d");
    assertThat(choice.members(HOLDERS, () -> Stream.of("d", "e"), 2, 2))
        .as("at once")
        .containsExactly("a", "c");
    assertThat(choice.members(List.of("a", "b"), () -> Stream.of("a", "d"), 3, 1))
        .containsExactly("a", "d");
    assertThat(choice.members(List.of("a", "b"), Stream::empty, 3, 2)).containsExactly("a", "b");
  }

  @Test
  void aHolderThatWasLeftOutWithoutProofIsThereWhenTheOtherOneFails() {
    suspectAfter(Cause.STALLED, "b", "a", "b");
    assertThat(choice.members(List.of("a", "b"), () -> Stream.of("d"), 3, 1))
        .containsExactly("a", "d");
    suspectAfter(Cause.FAILED, "a", "a", "d");
    assertThat(choice.members(List.of("a", "b"), () -> Stream.of("d"), 3, 1))
        .containsExactly("b", "d");
  }

  @Test
  void whomAnOperatorPutsOutHasNotFailedAndNoHolderGoesOnAloneForIt() {
    for (int i = 0; i < 3; i++) {
      assertThat(suspectAfter(Cause.OPERATOR, "b", "a", "b")).isEqualTo("b");
      assertThat(choice.members(List.of("a", "b"), () -> Stream.of("d"), 2, 1))
          .containsExactly("a", "d");
      assertThat(choice.members(List.of("a", "b"), Stream::empty, 2, 1))
          .as("nobody can take its place")
          .containsExactly("a", "b");
    }
    suspectAfter(Cause.FAILED, "a", "a", "d");
    assertThat(choice.members(List.of("a", "b"), () -> Stream.of("d"), 2, 2))
        .containsExactly("b", "d");
  }

  @Test
  void whoAnswersAMountUnlikeTwoOthersIsLeftOutOnlyWhenThereIsAThird() {
    assertThat(suspectAfter(Cause.DISAGREED, "b", "a", "b", "c")).isEqualTo("b");
    assertThat(choice.members(HOLDERS, () -> Stream.of("d"), 2, 2)).containsExactly("a", "c", "d");
    assertThat(choice.members(HOLDERS, Stream::empty, 2, 2))
        .as("two that are wrong alike would be alone")
        .isEqualTo(HOLDERS);
    assertThat(choice.members(List.of("a"), Stream::empty, 2, 1))
        .as("nobody else runs")
        .containsExactly("a");
    served = epoch;
    assertThat(suspectAfter(Cause.DISAGREED, "d", "a", "c", "d"))
        .as("the same two again")
        .isEqualTo("a");
    served = epoch;
    assertThat(suspectAfter(Cause.DISAGREED, "", "c", "d")).isEmpty();
    assertThat(choice.members(List.of("c", "d"), () -> Stream.of("e"), 2, 2))
        .as("who is right a third tells")
        .containsExactly("c", "d", "e");
  }

  @Test
  void noHolderGoesOnAloneWhenTheOtherOneWasLeftOutOnAGuess() {
    suspectAfter(Cause.STALLED, "b", "a", "b");
    assertThat(choice.members(List.of("a", "b"), () -> Stream.of("d"), 1, 1))
        .containsExactly("a", "d");
    assertThat(choice.members(List.of("a", "b"), Stream::empty, 1, 1))
        .as("nobody can join")
        .containsExactly("a", "b");
    assertThat(choice.members(List.of("a"), Stream::empty, 1, 1))
        .as("the other one is gone")
        .containsExactly("a");
    suspectAfter(Cause.FAILED, "b", "a", "d");
    assertThat(choice.members(List.of("a", "b"), () -> Stream.of("d"), 1, 1))
        .as("nothing has served since")
        .containsExactly("a", "d");
    served = epoch;
    suspectAfter(Cause.FAILED, "b", "a", "b");
    assertThat(choice.members(List.of("a", "b"), () -> Stream.of("d"), 1, 1))
        .as("it says so itself")
        .containsExactly("a");
    suspectAfter(Cause.DIFFERED, "b", "a", "b");
    assertThat(choice.members(List.of("a", "b"), () -> Stream.of("d"), 1, 1))
        .as("one word against another")
        .containsExactly("a", "d");
  }

  @Test
  void aThirdJoinsAtOnceWhereMembersDiffered() {
    suspectAfter(Cause.DIFFERED, "c", "a", "b", "c");
    assertThat(choice.members(HOLDERS, () -> Stream.of("d", "e"), 2, 2))
        .as("a and b may be wrong")
        .containsExactly("a", "b", "d");
    assertThat(choice.members(HOLDERS, Stream::empty, 2, 2))
        .as("nobody can join")
        .containsExactly("a", "b");
    suspectAfter(Cause.GONE, "", "a", "b", "d");
    assertThat(choice.members(HOLDERS, () -> Stream.of("e"), 2, 2))
        .as("nothing has served since")
        .containsExactly("a", "b", "c");
    served = epoch;
    suspectAfter(Cause.GONE, "", "a", "b", "e");
    assertThat(choice.members(List.of("a", "b"), () -> Stream.of("f"), 2, 2))
        .containsExactly("a", "b");
  }

  @Test
  void whereGuessesDoNotHelpEachHolderIsTriedWithOthersOnly() {
    for (String blamed : List.of("c", "b", "c")) {
      suspectAfter(Cause.STALLED, blamed, "a", "b", "c");
    }
    assertThat(choice.members(HOLDERS, () -> Stream.of("a", "b", "d", "e"), 2, 2))
        .containsExactly("a", "d", "e");
    assertThat(choice.members(HOLDERS, () -> Stream.of("a", "b"), 2, 2))
        .as("there are no others")
        .containsExactly("a", "b");
    suspectAfter(Cause.STALLED, "d", "a", "d", "e");
    assertThat(choice.members(HOLDERS, () -> Stream.of("d", "e"), 2, 2))
        .containsExactly("b", "d", "e");
    suspectAfter(Cause.GONE, "", "b", "d", "e");
    assertThat(choice.members(HOLDERS, () -> Stream.of("e"), 2, 2))
        .as("it had no time")
        .containsExactly("b", "e");
    suspectAfter(Cause.STALLED, "e", "b", "e");
    assertThat(choice.members(HOLDERS, () -> Stream.of("d", "e"), 2, 2))
        .containsExactly("c", "d", "e");
    served = epoch;
    suspectAfter(Cause.STALLED, "d", "c", "d", "e");
    assertThat(choice.members(List.of("c", "d", "e"), Stream::empty, 2, 2))
        .containsExactly("c", "e");
  }

  @Test
  void theOnlyHolderIsNotLeftOut() {
    suspectAfter(Cause.FAILED, "a", "a", "d");
    assertThat(choice.members(List.of("a"), () -> Stream.of("d"), 3, 1)).containsExactly("a", "d");
  }

  @Test
  void eachMemberIsBlamedInTurnForEpochsThatDoNotOpen() {
    assertThat(choice.guess(List.of("a", "b", "c"))).isEqualTo("a");
    assertThat(choice.guess(List.of("c", "b", "a"))).isEqualTo("c");
    assertThat(choice.guess(List.of("a", "b", "c"))).isEqualTo("b");
    assertThat(choice.guess(List.of("a", "b", "c"))).isEqualTo("a");
  }

  @Test
  void twoThatFailAgainAndAgainAreBothLeftOut() {
    assertThat(after("a")).containsExactly("b", "c");
    assertThat(after("b")).containsExactly("a", "c");
    assertThat(after("a")).containsExactly("b", "c");
    assertThat(after("b")).containsExactly("c");
  }

  @Test
  void allHaveAnotherChanceWhenAllHaveFailed() {
    after("a");
    after("b");
    after("a");
    after("b");
    after("c");
    assertThat(after("c")).containsExactly("a", "b");
    assertThat(after("a")).containsExactly("b", "c");
  }

  @Test
  void whatWasBeforeTheRegionServedIsForgotten() {
    after("a");
    after("b");
    after("a");
    served = epoch;
    assertThat(after("b")).containsExactly("a", "c");
  }

  @Test
  void twoWhoAreWrongInTheSameWayDoNotPutOutAllOthers() {
    assertThat(suspectAfter(Cause.DIFFERED, "c", "x", "y", "c")).isEqualTo("c");
    assertThat(suspectAfter(Cause.DIFFERED, "d", "x", "y", "d")).isEqualTo("x");
    assertThat(suspectAfter(Cause.DIFFERED, "y", "y", "d", "e")).isEqualTo("y");
  }

  @Test
  void twoWhoAreWrongOneAfterTheOtherAreBothPutOut() {
    assertThat(suspectAfter(Cause.DIFFERED, "x", "a", "b", "x")).isEqualTo("x");
    assertThat(suspectAfter(Cause.DIFFERED, "y", "y", "b", "a")).isEqualTo("a");
    assertThat(suspectAfter(Cause.DIFFERED, "y", "y", "b", "c")).isEqualTo("y");
  }

  @Test
  void otherFailuresAreTheSuspectsOwn() {
    assertThat(suspectAfter(Cause.FAILED, "c", "x", "y", "c")).isEqualTo("c");
    assertThat(suspectAfter(Cause.FAILED, "d", "x", "y", "d")).isEqualTo("d");
    assertThat(suspectAfter(Cause.DIFFERED, "", "x", "y")).isEmpty();
  }
}
