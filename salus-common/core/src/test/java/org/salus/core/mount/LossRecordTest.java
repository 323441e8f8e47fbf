package org.salus.core.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.mount.LossRecord.Loss;

/** Which findings are of one loss, and what is listed until somebody accepts it. */
class LossRecordTest {
  private LossRecord record = LossRecord.nothing(9);

  private static Loss mount(long mountEpoch, long prefix, long acked, long after) {
    return new Loss(0, "user" + mountEpoch, mountEpoch, prefix, acked, false, after);
  }

  private static Loss session(long mountEpoch, long prefix, long acked, long after) {
    return new Loss(0, "user" + mountEpoch, mountEpoch, prefix, acked, true, after);
  }

  private static Loss upTo(long last, Loss l) {
    return new Loss(
        l.at(), l.holder(), l.mountEpoch(), l.prefix(), l.acked(), l.served(), l.after(), last);
  }

  private void note(Loss found, long confirmed) {
    record = record.with(found, confirmed, LossRules.PAPER);
  }

  private void acceptAll() {
    record = record.accept(record.losses(), LossRules.PAPER);
  }

  @Test
  void lateNoteOfASessionGoesInTheFindingOfTheNextMountOnly() {
    note(mount(4, 43, 48, 0), 3);
    note(session(3, 40, 50, 0), 6);
    assertThat(record.losses()).containsExactly(mount(4, 43, 50, 3));
    note(session(3, 40, 50, 0), 6);
    assertThat(record.losses()).as("written again").containsExactly(mount(4, 43, 50, 3));
    note(mount(7, 45, 60, 0), 6);
    note(session(5, 40, 50, 0), 6);
    assertThat(record.losses())
        .containsExactly(mount(4, 43, 50, 3), mount(7, 45, 60, 6), session(5, 40, 50, 6));
  }

  @Test
  void findingOfAMountDoesNotReplaceThatOfASessionLongBefore() {
    note(session(3, 40, 50, 0), 3);
    note(mount(5, 45, 60, 0), 4);
    assertThat(record.losses()).containsExactly(session(3, 40, 50, 3), mount(5, 45, 60, 4));
  }

  @Test
  void findingOfAMountGoesToItsSessionAndNotToAnOlderMount() {
    note(mount(3, 40, 50, 0), 2);
    note(session(3, 40, 44, 0), 2); // that it has served is not noted yet
    note(mount(4, 40, 43, 0), 2);
    assertThat(record.losses()).containsExactly(mount(3, 40, 50, 2), mount(4, 40, 44, 3));
  }

  @Test
  void sessionThatHasLostChangesHasServed() {
    note(session(3, 40, 50, 0), 3);
    note(session(4, 45, 60, 0), 3);
    note(mount(5, 46, 55, 0), 3);
    assertThat(record.losses()).containsExactly(session(3, 40, 50, 3), mount(5, 46, 60, 4));
  }

  @Test
  void mountsThatGoBackAsFarFindTheSameUntilAUsersMountHasServed() {
    note(mount(1, 40, 45, 0), 0);
    note(mount(2, 40, 50, 0), 0);
    assertThat(record.losses()).containsExactly(upTo(2, mount(1, 40, 50, 0)));
    note(mount(3, 40, 55, 0), 2);
    assertThat(record.losses()).containsExactly(upTo(2, mount(1, 40, 50, 0)), mount(3, 40, 55, 2));
    note(mount(4, 41, 55, 0), 2);
    assertThat(record.losses()).hasSize(3);
  }

  @Test
  void whatWasAcceptedDoesNotComeBackUnlessMoreIsKnown() {
    note(session(3, 40, 50, 0), 3);
    note(mount(4, 43, 48, 0), 3);
    acceptAll();
    note(session(3, 40, 50, 0), 5);
    note(mount(4, 43, 48, 0), 3);
    assertThat(record.losses()).isEmpty();
    note(mount(4, 43, 51, 0), 3);
    assertThat(record.losses()).as("more").containsExactly(mount(4, 43, 51, 3));
    acceptAll();
    note(mount(6, 43, 51, 0), 4);
    assertThat(record.losses()).as("another loss").containsExactly(mount(6, 43, 51, 4));
  }

  /** Only its first answer was lost; whether a mount before it has served is not known any more. */
  @Test
  void noteThatAnEarlierFindingHasTakenInDoesNotComeBack() {
    note(mount(2, 43, 48, 0), 1);
    note(mount(3, 43, 47, 0), 1);
    note(mount(4, 43, 46, 0), 1);
    acceptAll();
    note(mount(4, 43, 46, 0), 5);
    note(mount(3, 43, 47, 0), 5);
    assertThat(record.losses()).isEmpty();
    note(mount(5, 43, 47, 0), 5);
    assertThat(record.losses()).as("another loss").containsExactly(mount(5, 43, 47, 5));
    note(mount(3, 44, 47, 0), 5);
    assertThat(record.losses()).as("another prefix").hasSize(2);
  }

  @Test
  void whoHasAcceptedASessionsFindingKnowsWhatTheNextMountFinds() {
    note(session(3, 40, 50, 0), 3);
    acceptAll();
    note(mount(4, 43, 48, 0), 3);
    assertThat(record.losses()).isEmpty();
  }

  @Test
  void onlyWhatWasSeenIsAccepted() {
    note(mount(2, 30, 31, 0), 1);
    note(session(3, 40, 50, 0), 3);
    List<Loss> seen = record.losses();
    note(session(3, 40, 52, 0), 3); // more of it is known
    note(mount(5, 60, 70, 0), 4); // another one
    record = record.accept(seen, LossRules.PAPER);
    assertThat(record.losses()).containsExactly(session(3, 40, 52, 3), mount(5, 60, 70, 4));
    assertThat(record.accepted()).containsExactly(mount(2, 30, 31, 1));
    assertThat(record.accept(seen, LossRules.PAPER)).as("said again").isEqualTo(record);
  }

  @Test
  void whoHasSeenTheSessionsFindingAcceptsThatOfTheNextMount() {
    note(session(3, 40, 50, 0), 3);
    List<Loss> seen = record.losses();
    note(mount(4, 43, 48, 0), 3);
    record = record.accept(seen, LossRules.PAPER);
    assertThat(record.losses()).isEmpty();
  }

  @Test
  void whatWasAcceptedIsBounded() {
    for (int i = 1; i <= 3 * LossRecord.MOST; i++) {
      note(mount(i, 100L * i, 100L * i + 1, 0), i - 1);
      acceptAll();
    }
    assertThat(record.accepted()).hasSize(LossRecord.MOST).endsWith(mount(48, 4800, 4801, 47));
  }

  /** The word that its own mount has served may come later than the finding. */
  @Test
  void finderKnowsWhatItsOwnHandleHasServed() {
    note(mount(6, 50, 100, 5), 5);
    acceptAll();
    note(mount(7, 50, 80, 6), 5);
    assertThat(record.losses()).containsExactly(mount(7, 50, 80, 6));
  }

  @Test
  void lastOfTooManyLossesStandsForSeveral() {
    for (int i = 1; i <= LossRecord.MOST + 2; i++) {
      note(mount(i, 100L * i, 100L * i + 1, 0), i - 1);
    }
    assertThat(record.losses())
        .hasSize(LossRecord.MOST)
        .endsWith(mount(18, 1600, 1801, 17))
        .contains(mount(15, 1500, 1501, 14));
  }

  @Test
  void lateWordOfAMountDoesNotReplaceThatOfANewerOne() {
    ConfirmedRecord third = new ConfirmedRecord(9, 3, 30, 0, 0, 3L);
    ConfirmedRecord masters = new ConfirmedRecord(9, 5, 50, 1, 2, 0L);
    for (List<ConfirmedRecord> order : List.of(List.of(third, masters), List.of(masters, third))) {
      ConfirmedRecord now = ConfirmedRecord.none(9);
      for (ConfirmedRecord r : order) {
        now = now.with(r, LossRules.PAPER);
      }
      assertThat(now).isEqualTo(new ConfirmedRecord(9, 5, 50, 1, 2, 3L));
    }
  }

  @Test
  void pauseBetweenTwoTriesGrowsToAMinute() {
    RetryPause pauses = RetryPause.ofNotes();
    for (long seconds : new long[] {1, 2, 4, 8, 16, 32, 60, 60}) {
      assertThat(pauses.next()).isEqualTo(seconds * 1_000_000_000L);
    }
  }
}
