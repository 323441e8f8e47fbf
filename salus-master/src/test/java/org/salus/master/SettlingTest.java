package org.salus.master;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.salus.client.SalusException;
import org.salus.host.config.ClientSettings;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.WriterRecord;

/** When the master settles what a writer has left. */
class SettlingTest {
  private static final long HOUR = Settling.LONGEST_PAUSE_NANOS;

  private final List<String> settled = new ArrayList<>();
  private final Queue<RuntimeException> failures = new ArrayDeque<>();

  /** The volumes' last mounts, if they are left behind. */
  private final Map<String, WriterRecord> left = new HashMap<>();

  /** Volumes of which nothing can be read. */
  private final Map<String, Exception> unreadable = new HashMap<>();

  /** What happens while a volume is mounted. */
  private Runnable meanwhile = () -> {};

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private long now;
  private final Settling settling =
      new Settling(this::leftBehind, this::settle, tasks::add, () -> now);

  private Optional<WriterRecord> leftBehind(String volume) throws IOException {
    Exception failure = unreadable.get(volume);
    if (failure instanceof RuntimeException bug) {
      throw bug;
    } else if (failure instanceof IOException known) {
      throw known;
    }
    return Optional.ofNullable(left.get(volume));
  }

  private void settle(String volume) {
    settled.add(volume);
    meanwhile.run();
    RuntimeException failure = failures.poll();
    if (failure != null) {
      throw failure;
    }
  }

  private static WriterRecord user(long mountEpoch) {
    return new WriterRecord("a user", 0, mountEpoch, "", 1, "a", false, 0, "");
  }

  private static WriterRecord master(long mountEpoch) {
    return new WriterRecord("a master", 0, mountEpoch, "", 1, "b", true, 0, "");
  }

  /** Looks at all volumes after this time, and lets the worker work. */
  private void look(long after) {
    lookOnly(after);
    work();
  }

  private void lookOnly(long after) {
    now += after;
    settling.look(List.of("disk", "other"));
  }

  private void work() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      failures.add(new SalusException.Unavailable("a region does not serve", null));
    }
  }

  @Test
  void aVolumeIsSettledSomeTimeAfterItsWriterIsGone() {
    left.put("disk", user(7));
    look(0);
    look(Settling.AFTER_NANOS - 1);
    assertThat(settled).isEmpty();
    look(1);
    left.clear();
    look(1);
    look(HOUR);
    assertThat(settled).containsExactly("disk");
  }

  @Test
  void theTimeBeginsAnewWithEachWriter() {
    left.put("disk", user(7));
    look(0);
    left.clear(); // it has a writer
    look(Settling.AFTER_NANOS - 1);
    left.put("disk", user(8));
    look(1);
    look(Settling.AFTER_NANOS - 1);
    left.put("disk", user(9));
    look(1);
    look(Settling.AFTER_NANOS - 1);
    assertThat(settled).isEmpty();
    look(1);
    assertThat(settled).containsExactly("disk");
  }

  @Test
  void aVolumeIsQueuedOnceHoweverLongItWaits() {
    left.put("disk", user(7));
    lookOnly(0);
    for (int i = 0; i < 10; i++) {
      lookOnly(Settling.AFTER_NANOS);
    }
    assertThat(tasks).hasSize(1);
    work();
    assertThat(settled).containsExactly("disk");
  }

  @Test
  void aVolumeIsNotQueuedWhileItIsBeingSettled() {
    left.put("disk", user(7));
    look(0);
    meanwhile =
        () -> {
          lookOnly(HOUR);
          assertThat(tasks).isEmpty();
        };
    look(Settling.AFTER_NANOS);
    assertThat(settled).containsExactly("disk");
  }

  @Test
  void aVolumeThatHasAWriterAgainWhenItsTurnComesIsLeftAlone() {
    left.put("disk", user(7));
    lookOnly(0);
    lookOnly(Settling.AFTER_NANOS);
    left.clear();
    work();
    assertThat(settled).isEmpty();
    left.put("disk", user(7));
    lookOnly(1);
    left.put("disk", user(8)); // another writer has just left it
    work();
    assertThat(settled).isEmpty();
    look(1);
    look(Settling.AFTER_NANOS);
    assertThat(settled).containsExactly("disk");
  }

  @Test
  void aVolumeThatWasForgottenMeanwhileWaitsAnew() {
    left.put("disk", user(7));
    lookOnly(0);
    lookOnly(Settling.AFTER_NANOS);
    settling.look(List.of("other"));
    lookOnly(1);
    work();
    assertThat(settled).isEmpty();
    look(Settling.AFTER_NANOS);
    assertThat(settled).containsExactly("disk");
  }

  @Test
  void thePauseDoublesWithEachFailureUpToAnHour() {
    fail(20);
    left.put("disk", user(7));
    look(0);
    look(Settling.AFTER_NANOS);
    for (long pause : new long[] {20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600}) {
      int before = settled.size();
      left.put("disk", master(10 + before)); // the record of the try stays
      look(pause * 1_000_000_000 - 1);
      assertThat(settled).hasSize(before);
      look(1);
      assertThat(settled).as("after a pause of %d s", pause).hasSize(before + 1);
    }
  }

  @Test
  void thePausesBeginAnewWithANewWriter() {
    fail(5);
    left.put("disk", user(7));
    look(0);
    look(Settling.AFTER_NANOS);
    left.put("disk", master(8));
    look(HOUR);
    look(HOUR);
    assertThat(settled).hasSize(3);
    left.put("disk", user(9));
    look(0);
    look(Settling.AFTER_NANOS - 1);
    assertThat(settled).hasSize(3);
    look(1);
    look(Settling.AFTER_NANOS);
    assertThat(settled).hasSize(5);
  }

  @Test
  void aVolumeForWhichThereIsNoRoomOrWhichIsNotWholeIsTriedAgainAfterAnHour() {
    failures.add(new SalusException.NoSpace("no room"));
    failures.add(new SalusException.Integrity("not whole"));
    left.put("disk", user(7));
    left.put("other", user(1));
    look(0);
    look(Settling.AFTER_NANOS);
    assertThat(settled).containsExactly("disk", "other");
    look(HOUR - 1);
    assertThat(settled).hasSize(2);
    look(1);
    assertThat(settled).hasSize(4);
  }

  @Test
  void aVolumeOfWhichNothingCanBeReadStopsNoOther() {
    unreadable.put("disk", new ClusterStoreException.Unreachable("no answer", null));
    left.put("other", user(1));
    look(0);
    unreadable.put("disk", new NumberFormatException("a bug"));
    look(Settling.AFTER_NANOS);
    assertThat(settled).containsExactly("other");
  }

  @Test
  void aVolumeOfWhichNothingCanBeReadWhenItsTurnComesWaits() {
    left.put("disk", user(7));
    lookOnly(0);
    lookOnly(Settling.AFTER_NANOS);
    unreadable.put("disk", new ClusterStoreException.Unreachable("no answer", null));
    work();
    assertThat(settled).isEmpty();
    unreadable.clear();
    look(1);
    assertThat(settled).containsExactly("disk");
  }

  @Test
  void aMountThatFailsInAStrangeWayIsTriedAgain() {
    failures.add(new IllegalStateException("a bug"));
    left.put("disk", user(7));
    look(0);
    look(Settling.AFTER_NANOS);
    look(Settling.AFTER_NANOS);
    assertThat(settled).hasSize(2);
  }

  @Test
  void aMountDoesNotKeepTheOtherVolumesWaitingForLong() {
    assertThat(ClientSettings.from(Settling.settings("host:2181", "secret")).requestTimeout())
        .isEqualTo(Duration.ofSeconds(60));
  }
}
