package org.salus.core.session.question;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Reads go to idle members, and no member is passed by for ever. */
class LeastLoadedTest {
  private final LeastLoaded members = new LeastLoaded();

  /** Asks and is answered at once, by members that have nothing else to do. */
  private List<Integer> questions(int count) {
    List<Integer> lanes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int lane = members.choose();
      members.asked(lane);
      members.answered(lane, 0);
      lanes.add(lane);
    }
    return lanes;
  }

  @Test
  void idleMembersAreAskedOneAfterTheOther() {
    assertThat(questions(6)).containsExactly(1, 2, 0, 1, 2, 0);
  }

  @Test
  void aMemberThatOwesAnswersIsAskedOnlyWhenOthersOweAsMany() {
    IntStream.range(0, 5).forEach(i -> members.asked(1));
    assertThat(questions(100)).doesNotContain(1).contains(0, 2);
    IntStream.range(0, 5)
        .forEach(
            i -> {
              members.asked(0);
              members.asked(2);
            });
    assertThat(
            IntStream.range(0, 3)
                .mapToObj(
                    i -> {
                      int lane = members.choose();
                      members.asked(lane);
                      return lane;
                    }))
        .contains(1);
  }

  @Test
  void aMemberThatWasLateIsPassedByForAWhileOnly() {
    members.asked(1);
    members.late(1);
    assertThat(questions(LeastLoaded.LATE)).doesNotContain(1);
    assertThat(questions(6)).contains(1);
  }

  @Test
  void whatAMemberToldIsOutOfDateSomeTime() {
    members.asked(1);
    members.answered(1, 10);
    assertThat(questions(10)).doesNotContain(1);
    assertThat(questions(6)).contains(1);
  }

  @Test
  void othersThatActInTheLanesHaveNothingToDo() {
    IntStream.range(0, 5).forEach(i -> members.asked(1));
    members.replaced();
    assertThat(questions(3)).contains(1);
  }
}
