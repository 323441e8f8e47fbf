package org.salus.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.MemberEffect.RecoverSegments;
import org.salus.core.effect.MemberEffect.ToEqualize;
import org.salus.core.log.SegmentEnd;

class EqualizingTest {
  private static final List<String> MEMBERS = List.of("a", "b", "c");

  private static Equalizing equalizing(Map<String, Long> valid, List<String> listed) {
    return new Equalizing(new Goal(700, "a", valid, MEMBERS), listed);
  }

  @Test
  void membersAreAskedWhateverTheNameNodeLists() {
    assertThat(equalizing(Map.of(), List.of()).asked()).containsExactly("a", "b", "c");
    assertThat(equalizing(Map.of(), List.of("d", "b")).asked()).containsExactly("a", "b", "c", "d");
  }

  @Test
  void noMemberIsLeftBehindAndOthersMayBe() {
    Equalizing l = equalizing(Map.of("a", 700L, "b", 700L, "c", 0L), List.of("a", "d"));
    l.answered("a", 700);
    l.answered("b", 900);
    assertThat(l.silent()).containsExactly("c");
    l.answered("c", -1);
    assertThat(l.silent()).as("d is no member").isEmpty();
    l.equalized("a");
    l.equalized("b");
    assertThat(l.behind()).containsExactly("c");
    l.equalized("c");
    assertThat(l.behind()).isEmpty();
    l.failed("b");
    assertThat(l.behind()).containsExactly("b");
    assertThat(l.silent()).containsExactly("b");
  }

  @Test
  void onlyReplicasThatMayBeWholeAreCopiedAndTheHoldersFirst() {
    Equalizing l = equalizing(Map.of("a", 700L, "b", 300L, "c", 700L), List.of("d"));
    l.answered("d", 700);
    l.answered("c", 699);
    l.answered("b", 700);
    l.answered("a", 800);
    assertThat(l.sources()).containsExactly("a", "d");
    assertThat(l.end("b")).isEqualTo(300);
    assertThat(l.end("d")).isEqualTo(700);
    assertThat(l.isKnown()).as("b needs bytes").isFalse();
  }

  @Test
  void nothingIsReadIfNothingIsCopied() {
    Equalizing l = equalizing(Map.of("a", 700L, "b", 700L, "c", 700L), List.of());
    MEMBERS.forEach(m -> l.answered(m, 750));
    assertThat(l.isKnown()).isTrue();
    l.answered("d", 700);
    assertThat(l.isKnown()).as("nobody has read d").isFalse();
  }

  @Test
  void aHolderIsRefutedOnlyByWhatHasAnswered() {
    Equalizing own = equalizing(Map.of("a", 700L, "b", 0L, "c", 0L), List.of());
    assertThat(own.isRefuted()).as("its DataNode is silent").isFalse();
    own.answered("a", 500);
    assertThat(own.isRefuted()).isTrue();
    Equalizing elsewhere = equalizing(Map.of("a", 0L, "b", 0L, "c", 0L), List.of("d"));
    MEMBERS.forEach(m -> elsewhere.answered(m, 0));
    assertThat(elsewhere.isRefuted()).as("it may be on d").isFalse();
    elsewhere.answered("d", 500);
    assertThat(elsewhere.isRefuted()).isTrue();
  }

  @Test
  void aReplicaBesideNoMemberIsCopiedFromAndLeftBehind() {
    Equalizing l = equalizing(Map.of("a", 0L, "b", 0L, "c", 0L), List.of("d"));
    MEMBERS.forEach(m -> l.answered(m, 0));
    l.answered("d", 900);
    assertThat(l.takesPart("a")).as("a member's replica").isTrue();
    assertThat(l.takesPart("d")).isFalse();
    assertThat(l.sources()).containsExactly("d");
  }

  @Test
  void aGoalNamesTheMembersThatRecoveryRequires() {
    ToEqualize of = new ToEqualize(new SegmentEnd(3, 700), 1, List.of(0L, 700L, 650L));
    RecoverSegments effect = new RecoverSegments(List.of(of), List.of(0, 2), new byte[0]);
    assertThat(Goal.of(effect, of, MEMBERS))
        .isEqualTo(new Goal(700, "b", Map.of("a", 0L, "b", 700L, "c", 650L), List.of("a", "c")));
  }
}
