package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.client.LastMount.Acknowledged;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.Claimant;
import org.salus.core.mount.KeptMount;
import org.salus.core.mount.Reader;
import org.salus.host.zk.ClusterStoreException;

/** A process goes on for the user of an earlier one, over members in memory. */
class LastMountTest {
  private static final VolumeSpec SPEC = MemoryMembers.SPEC;
  private static final Claimant MINE = ScriptedStore.MINE;

  /** What outlives a process. */
  private static final class Kept implements LastMount {
    final List<Long> mounts = new ArrayList<>();
    Mount mount;
    IOException full;

    /** Thrown when a mount is to be kept, unless null. */
    IOException takesNoMount;

    /** Thrown when what was acknowledged is to be kept, unless null. */
    IOException takesNothing;

    @Override
    public Optional<Mount> find() {
      return Optional.ofNullable(mount);
    }

    @Override
    public void begin(Mount begun, int regions) throws IOException {
      if (full != null) {
        throw full;
      }
      mount = begun;
    }

    @Override
    public void keep(long epoch) throws IOException {
      if (takesNoMount != null) {
        throw takesNoMount;
      }
      mounts.add(epoch);
      set(epoch, mount.acknowledged(), true);
    }

    @Override
    public void keep(Acknowledged acknowledged) throws IOException {
      if (takesNothing != null) {
        throw takesNothing;
      }
      set(mount.epoch(), acknowledged, true);
    }

    void isUncertain() {
      set(mount.epoch(), mount.acknowledged(), false);
    }

    private void set(long epoch, Acknowledged acknowledged, boolean isCertain) {
      mount =
          new Mount(
              mount.volume(),
              mount.claimId(),
              mount.generation(),
              mount.process(),
              mount.before(),
              epoch,
              acknowledged,
              isCertain);
    }
  }

  private final Kept kept = new Kept();

  /** A process that keeps what it does. */
  private MemoryClient first() {
    return new MemoryClient(note());
  }

  /** The note as the next process has it. */
  private UserNote note() {
    return UserNote.of(kept, SPEC);
  }

  private MemoryClient next(MemoryClient before) {
    return before.next(note(), false);
  }

  /** A process whose user has the first mount, and that has ended then. */
  private MemoryClient ended() throws Exception {
    MemoryClient before = first();
    before.open();
    assertThat(before.host.opened()).isCompleted();
    before.store.processEnds();
    return before;
  }

  private static void mountAndEnd(MemoryClient by) {
    by.store.otherHasIt();
    by.store.otherEnds();
  }

  @Test
  void mountThatFollowsGoesOnAndIsKept() throws Exception {
    MemoryClient next = next(ended());
    next.open();
    assertThat(next.host.opened()).isCompleted();
    assertThat(kept.mounts).containsExactly(1L, 2L);
    assertThat(next.write(5, 1)).isCompleted();
  }

  @Test
  void masterMayHaveSettledTheVolumeMeanwhile() throws Exception {
    MemoryClient before = ended();
    mountAndEnd(before);
    before.store.readers.put(2L, new Reader(2, 0, Claimant.alone("master"), false, true));
    MemoryClient next = next(before);
    next.open();
    assertThat(next.host.opened()).isCompleted();
    assertThat(kept.mounts).last().isEqualTo(3L);
  }

  @Test
  void anotherWriterSinceIsFoundWithoutAClaim() throws Exception {
    MemoryClient before = ended();
    mountAndEnd(before);
    int attempts = before.store.attempts;
    MemoryClient next = next(before);
    assertThatThrownBy(next::open)
        .isInstanceOf(SalusException.Fenced.class)
        .hasMessageContaining("was mounted by another writer");
    assertThat(next.store.attempts).isEqualTo(attempts);
    assertThat(next.store.newestMount()).as("that writer may come back").isEqualTo(2);
    assertThat(kept.mounts).containsExactly(1L);
    assertThat(next.host.done()).isCompleted();
  }

  @Test
  void presentWriterIsNotPutOutByForce() throws Exception {
    MemoryClient before = ended();
    int attempts = before.store.attempts;
    before.store.takeOverUnnoticed();
    MemoryClient next = next(before);
    assertThatThrownBy(() -> next.host.acquire(true)).isInstanceOf(SalusException.Fenced.class);
    assertThat(next.store.attempts).isEqualTo(attempts);
  }

  @Test
  void anotherWriterJustBeforeTheClaimIsFoundByIt() throws Exception {
    MemoryClient next = next(ended());
    next.store.otherComesFirst = true;
    next.open();
    assertThat(next.host.opened()).isCompletedExceptionally();
    assertThat(kept.mounts).containsExactly(1L);
    assertThat(next.store.writer()).as("the claim is given back").isZero();
  }

  /** Nobody knows who has had the volume since. */
  @Test
  void zooKeeperThatWasPutBackIsNoticed() throws Exception {
    MemoryClient before = next(ended());
    before.open();
    before.store.processEnds();
    before.store.putBack(1);
    assertThatThrownBy(next(before)::open).isInstanceOf(SalusException.Fenced.class);
  }

  @Test
  void everyMountOfAHandleIsKept() throws Exception {
    MemoryClient c = first();
    c.open();
    assertThat(c.write(5, 1)).isCompleted();
    c.store.loseSession();
    c.store.forgetSession();
    c.loop.advance(MemoryClient.UNTIL_TIMED_OUT);
    assertThat(c.read(5)).isEqualTo(1);
    assertThat(kept.mounts).hasSizeGreaterThan(1).last().isEqualTo(c.store.writer());
  }

  // ---- claims that were never kept ----

  @Test
  void claimOfAProcessThatEndedBeforeItWasKeptIsItsOwn() throws Exception {
    MemoryClient before = next(ended());
    before.host.acquire(false); // and no more
    before.store.processEnds();
    assertThat(kept.mounts).containsExactly(1L);
    MemoryClient next = next(before);
    next.open();
    assertThat(next.host.opened()).isCompleted();
    assertThat(kept.mounts).last().isEqualTo(3L);
  }

  /** The claim is committed, and its answer or the look after it is lost. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void claimThatFailedLeavesItsRecord(boolean look) throws Exception {
    MemoryClient before = next(ended());
    before.store.loseAnswer = !look;
    before.store.loseLookAfterClaim = look;
    assertThatThrownBy(before::open).isInstanceOf(ClusterStoreException.class);
    before.loop.advance(MemoryClient.UNTIL_TIMED_OUT);
    assertThat(before.host.done()).as("it was given up").isCompleted();
    assertThat(before.store.writer()).isZero();
    MemoryClient next = next(before);
    next.open();
    assertThat(next.host.opened()).isCompleted();
    assertThat(next.store.readers).containsKey(2L);
  }

  @Test
  void claimThatComesWhileTheHandleEndsLeavesItsRecord() throws Exception {
    MemoryClient before = next(ended());
    MountHost.Taken taken = before.host.acquire(false);
    before.host.abandon();
    before.host.mount(taken);
    before.loop.settle();
    assertThat(before.store.writer()).as("given back").isZero();
    MemoryClient next = next(before);
    next.open();
    assertThat(next.host.opened()).isCompleted();
  }

  // ---- what was acknowledged ----

  @Test
  void nextProcessDoesNotGoOnWithoutWhatWasAcknowledged() throws Exception {
    MemoryClient before = first();
    before.open();
    assertThat(before.write(5, 1)).isCompleted();
    before.serversLosePower();
    before.store.processEnds();
    before.serversComeBack();
    for (int tries = 0; tries < 2; tries++) {
      MemoryClient next = next(before);
      next.open();
      assertThatThrownBy(next.host.opened()::join)
          .cause()
          .isInstanceOf(SalusException.Integrity.class)
          .hasMessageContaining("acknowledged and not flushed");
    }
  }

  @Test
  void whatIsAcknowledgedIsKeptBeforeItIsAnswered() throws Exception {
    MemoryClient c = first();
    c.open();
    CompletableFuture<Long> whenAnswered =
        c.volume
            .write(5, ByteBuffer.wrap(new byte[] {1}))
            .thenApply(done -> kept.mount.acknowledged().changes());
    c.loop.settle();
    assertThat(whenAnswered).isCompletedWithValue(1L);
    assertThat(kept.mount.acknowledged().since()).isEqualTo(1);
    assertThat(kept.mount.acknowledged().regions()).hasSize(SPEC.regionCount());
  }

  @Test
  void nextProcessGoesOnWithWhatWasAcknowledged() throws Exception {
    MemoryClient before = first();
    before.open();
    assertThat(before.write(5, 1)).isCompleted();
    before.store.processEnds();
    MemoryClient next = next(before);
    next.open();
    assertThat(next.read(5)).isEqualTo(1);
  }

  @Test
  void userWhoAcceptsLossesGoesOnInAnotherProcess() throws Exception {
    MemoryClient before = first();
    before.open();
    assertThat(before.write(5, 1)).isCompleted();
    before.serversLosePower();
    before.store.processEnds();
    before.serversComeBack();
    MemoryClient next = before.next(note(), true);
    next.open();
    assertThat(next.read(5)).isZero();
    assertThat(next.store.losses).as("noted").isNotEmpty();
    next.store.processEnds();
    MemoryClient third = next(next);
    third.open();
    assertThat(third.write(5, 2)).as("the loss is known").isCompleted();
  }

  // ---- the note ----

  @Test
  void volumeWithAnotherIdIsRefused() {
    kept.mount =
        new LastMount.Mount(SPEC.id() + 1, "c", 1, "p", List.of(), 7, Acknowledged.NOTHING, true);
    assertThatThrownBy(() -> OpenOptions.DEFAULT.withLastMount(kept).note(SPEC, MINE))
        .isInstanceOf(SalusException.NotFound.class)
        .hasMessageContaining("another one of its name");
    assertThat(OpenOptions.DEFAULT.note(SPEC, MINE).lasts()).isFalse();
  }

  @Test
  void processIsKeptBeforeItsFirstClaimAndRaisesTheGeneration() throws Exception {
    MemoryClient before = first();
    assertThat(kept.mount).as("nothing is claimed yet").isNull();
    before.store.failure = new ClusterStoreException.Unreachable("no answer", null);
    assertThatThrownBy(before::open).isInstanceOf(ClusterStoreException.class);
    assertThat(kept.mount.generation()).isEqualTo(1);
    assertThat(kept.mount.process()).isEqualTo(before.tools.note().user().by().process());
    before.store.failure = null;
    MemoryClient served = next(before);
    assertThat(served.tools.note().user().by().user())
        .as("nobody relied on anything")
        .isNotEqualTo(before.tools.note().user().by().user());
    served.open();
    KeptMount third = next(served).tools.note().user();
    assertThat(third.by().user()).isEqualTo(served.tools.note().user().by().user());
    assertThat(third.by().generation()).isEqualTo(2);
    assertThat(third.before()).containsExactly(served.tools.note().user().by());
  }

  @Test
  void processThatMayNotClaimDoesNotRaiseTheGeneration() throws Exception {
    MemoryClient before = ended();
    mountAndEnd(before);
    assertThatThrownBy(next(before)::open).isInstanceOf(SalusException.Fenced.class);
    assertThat(kept.mount.generation()).isEqualTo(1);
  }

  @Test
  void volumeIsNotOpenedWhenNothingCanBeKept() {
    kept.full = new IOException("no space left");
    MemoryClient first = first();
    assertThatThrownBy(first::open)
        .isInstanceOf(SalusException.Unavailable.class)
        .hasMessageContaining("no space left");
    assertThat(first.store.attempts).isZero();
    assertThat(first.host.done()).isCompleted();
  }

  @Test
  void mountThatCannotBeKeptServesNobodyAndLeavesItsRecord() throws Exception {
    MemoryClient before = ended();
    MemoryClient next = next(before);
    kept.takesNoMount = new IOException("no space left");
    next.open();
    assertThatThrownBy(next.host.opened()::join)
        .cause()
        .isInstanceOf(SalusException.Unavailable.class)
        .hasMessageContaining("the last mount cannot be kept: no space left");
    next.loop.settle();
    assertThat(next.store.writer()).as("given back").isZero();
    assertThat(next.store.readers).containsKey(2L);
    kept.takesNoMount = null;
    MemoryClient third = next(next);
    third.open();
    assertThat(third.host.opened()).isCompleted();
  }

  @Test
  void whatCannotBeKeptIsNotAcknowledgedAndEndsTheVolume() throws Exception {
    MemoryClient c = first();
    c.open();
    assertThat(c.write(5, 1)).isCompleted();
    kept.takesNothing = new IOException("no space left");
    CompletableFuture<Void> write = c.write(5, 2);
    assertThat(MemoryClient.reason(write))
        .isInstanceOf(SalusException.Unavailable.class)
        .hasMessageContaining("the last mount cannot be kept: no space left");
    assertThat(MemoryClient.failure(c.beginRead(5))).isInstanceOf(SalusException.Unavailable.class);
    assertThat(c.host.done()).as("the claim is given back").isCompleted();
    assertThat(kept.mount.acknowledged().changes()).isEqualTo(1);
  }

  // ---- two processes at once ----

  @Test
  void laterProcessEndsAnEarlierOneForGood() throws Exception {
    MemoryClient before = first();
    before.open();
    assertThat(before.write(5, 1)).isCompleted();
    CompletableFuture<Void> unanswered =
        before.volume.write(5, ByteBuffer.wrap(new byte[] {2})); // it is on its way
    MemoryClient next = next(before);
    MountHost.Taken taken = next.host.acquire(false);
    before.loop.settle();
    assertThat(before.host.done()).as("it has ended").isCompleted();
    assertThat(unanswered).isCompletedExceptionally();
    assertThat(MemoryClient.failure(before.write(5, 3)))
        .isInstanceOf(SalusException.Fenced.class)
        .hasMessageContaining("another process goes on");
    next.host.mount(taken);
    next.loop.settle();
    assertThat(next.host.opened()).isCompleted();
    CompletableFuture<Void> written = next.write(5, 4);
    assertThat(written).as("the earlier process may read under its lease").isNotDone();
    before.loop.advance(Duration.ofSeconds(11));
    assertThat(written).isCompleted();
    assertThat(next.read(5)).isEqualTo(4);
    assertThat(next.store.writer()).isEqualTo(2);
  }

  @Test
  void ofTwoProcessesThatBeganWithCopiesOfANoteTheSecondIsAnotherWriter() throws Exception {
    MemoryClient before = ended();
    MemoryClient one = next(before);
    MemoryClient other = next(before);
    assertThat(one.tools.note().user().by().generation()).isEqualTo(2);
    assertThat(other.tools.note().user().by().generation()).isEqualTo(2);
    one.open();
    assertThat(one.host.opened()).isCompleted();
    assertThatThrownBy(other::open).isInstanceOf(SalusException.Fenced.class);
    assertThat(one.write(5, 1)).isCompleted();
  }

  @Test
  void uncertainNoteIsRefusedUnlessAllIsDurable() throws Exception {
    ended();
    kept.isUncertain();
    assertThatThrownBy(this::note)
        .isInstanceOf(SalusException.Integrity.class)
        .hasMessageContaining("it is not known what was acknowledged");
    VolumeSpec synced =
        new VolumeSpec(
            SPEC.name(),
            SPEC.id(),
            SPEC.blockSize(),
            SPEC.blockCount(),
            SPEC.regionCount(),
            true,
            SPEC.segmentBytes());
    assertThat(UserNote.of(kept, synced).lasts()).isTrue();
  }
}
