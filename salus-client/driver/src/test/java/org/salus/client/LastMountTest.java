package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.client.LastMount.Acknowledged;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.Reader;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.WriterClaim;

/** A process goes on for the user of an earlier one, over members in memory. */
class LastMountTest {
  private static final VolumeSpec SPEC = MemoryMembers.SPEC;

  /** What outlives a process. */
  private static final class Kept implements LastMount {
    final List<Long> mounts = new ArrayList<>();
    Mount mount;
    IOException full;

    @Override
    public Optional<Mount> find() {
      return Optional.ofNullable(mount);
    }

    @Override
    public void begin(Mount begun, int regions) throws IOException {
      requireRoom();
      mount = begun;
    }

    private void requireRoom() throws IOException {
      if (full != null) {
        throw full;
      }
    }

    @Override
    public void keep(long epoch) throws IOException {
      requireRoom();
      mounts.add(epoch);
      set(epoch, mount.acknowledged(), true);
    }

    @Override
    public void keep(Acknowledged acknowledged) throws IOException {
      requireRoom();
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
              epoch,
              acknowledged,
              isCertain);
    }
  }

  private final Kept kept = new Kept();

  /** A process that has begun to keep what it does. */
  private MemoryClient first() {
    return new MemoryClient(UserNote.begin(kept, SPEC));
  }

  private MemoryClient next(MemoryClient before) {
    return before.next(UserNote.begin(kept, SPEC), false);
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
    before.store.readers.put(2L, new Reader(2, 0, "master", false, true));
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
    MemoryClient next = before.next(UserNote.begin(kept, SPEC), true);
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
    kept.mount = new LastMount.Mount(SPEC.id() + 1, "c", 1, "p", 7, Acknowledged.NOTHING, true);
    assertThatThrownBy(() -> OpenOptions.DEFAULT.withLastMount(kept).note(SPEC))
        .isInstanceOf(SalusException.NotFound.class)
        .hasMessageContaining("another one of its name");
    assertThat(OpenOptions.DEFAULT.note(SPEC).lasts()).isFalse();
  }

  @Test
  void claimIdIsKeptBeforeAnyClaim() {
    UserNote note = UserNote.begin(kept, SPEC);
    String id = kept.mount.claimId();
    assertThat(kept.mount.epoch()).isZero();
    assertThat(id).isNotEmpty();
    assertThat(note.claim(new WriterClaim("me", "", false)).id()).isEqualTo(id);
    UserNote.begin(kept, SPEC);
    assertThat(kept.mount.claimId()).isEqualTo(id);
  }

  @Test
  void volumeIsNotOpenedWhenNothingCanBeKept() {
    kept.full = new IOException("no space left");
    assertThatThrownBy(() -> UserNote.begin(kept, SPEC))
        .isInstanceOf(SalusException.Unavailable.class)
        .hasMessageContaining("no space left");
  }

  @Test
  void whatCannotBeKeptIsNotAnsweredAndEndsTheHandle() throws Exception {
    MemoryClient c = first();
    c.open();
    kept.full = new IOException("no space left");
    CompletableFuture<Void> write = c.write(5, 1);
    assertThatThrownBy(write::join)
        .cause()
        .isInstanceOf(SalusException.UnknownOutcome.class)
        .hasMessageContaining("the last mount cannot be kept")
        .hasMessageContaining("no space left");
    assertThatThrownBy(c.write(5, 1)::join).cause().isInstanceOf(SalusException.Unavailable.class);
    assertThat(kept.mount.acknowledged().changes()).isZero();
    assertThat(c.store.writer()).as("the claim is given back").isZero();
    kept.full = null;
    MemoryClient next = next(c);
    next.open();
    assertThat(next.write(5, 2)).isCompleted();
  }

  @Test
  void mountThatCannotBeKeptServesNobodyAndLeavesItsRecord() throws Exception {
    MemoryClient c = next(ended());
    MountHost.Taken taken = c.host.acquire(false);
    kept.full = new IOException("no space left");
    c.guarded.execute(() -> c.host.mount(taken));
    c.loop.settle();
    assertThatThrownBy(c.host.opened()::join)
        .cause()
        .isInstanceOf(SalusException.Unavailable.class)
        .hasMessageContaining("no space left");
    assertThat(c.store.writer()).as("the claim is given back").isZero();
    kept.full = null;
    MemoryClient next = next(c);
    next.open();
    assertThat(next.host.opened()).as("nobody else had it").isCompleted();
  }

  @Test
  void uncertainNoteIsRefusedUnlessAllIsDurable() throws Exception {
    ended();
    kept.isUncertain();
    assertThatThrownBy(() -> UserNote.begin(kept, SPEC))
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
    assertThat(UserNote.begin(kept, synced).lasts()).isTrue();
  }
}
