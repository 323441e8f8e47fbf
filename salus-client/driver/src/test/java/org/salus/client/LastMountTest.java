package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.MountConfig;
import org.salus.core.mount.Reader;

/** A process goes on for the user of an earlier one, over members in memory. */
class LastMountTest {
  /** A process whose user had the first mount. */
  private final MemoryClient next = new MemoryClient(MountConfig.defaults().following(1));

  private void mountAndEnd() {
    next.store.otherHasIt();
    next.store.otherEnds();
  }

  @Test
  void mountThatFollowsGoesOnAndIsKept() throws Exception {
    mountAndEnd();
    next.open();
    assertThat(next.host.opened()).isCompleted();
    assertThat(next.mounts).containsExactly(2L);
    assertThat(next.write(5, 1)).isCompleted();
  }

  @Test
  void masterMayHaveSettledTheVolumeMeanwhile() throws Exception {
    mountAndEnd();
    mountAndEnd();
    next.store.readers.put(2L, new Reader(2, 0, "master", false, true));
    next.open();
    assertThat(next.host.opened()).isCompleted();
    assertThat(next.mounts).containsExactly(3L);
  }

  @Test
  void anotherWriterSinceIsFoundWithoutAClaim() throws Exception {
    mountAndEnd();
    mountAndEnd();
    assertThatThrownBy(next::open)
        .isInstanceOf(SalusException.Fenced.class)
        .hasMessageContaining("was mounted by another writer");
    assertThat(next.store.attempts).isZero();
    assertThat(next.store.newestMount()).as("that writer may come back").isEqualTo(2);
    assertThat(next.mounts).isEmpty();
    assertThat(next.host.done()).isCompleted();
  }

  @Test
  void presentWriterIsNotPutOutByForce() throws Exception {
    mountAndEnd();
    next.store.takeOverUnnoticed();
    assertThatThrownBy(() -> next.host.acquire(true)).isInstanceOf(SalusException.Fenced.class);
    assertThat(next.store.attempts).isZero();
  }

  @Test
  void anotherWriterJustBeforeTheClaimIsFoundByIt() throws Exception {
    mountAndEnd();
    next.store.otherComesFirst = true;
    next.open();
    assertThat(next.host.opened()).isCompletedExceptionally();
    assertThat(next.mounts).isEmpty();
    assertThat(next.store.writer()).as("the claim is given back").isZero();
  }

  @Test
  void everyMountOfAHandleIsKept() throws Exception {
    MemoryClient c = MemoryClient.withoutItsZooKeeperSession();
    c.loop.advance(MemoryClient.UNTIL_TIMED_OUT);
    assertThat(c.read(5)).isEqualTo(1);
    assertThat(c.mounts).hasSizeGreaterThan(1).last().isEqualTo(c.store.writer());
  }

  @Test
  void volumeWithAnotherIdIsRefused() {
    VolumeSpec spec = MemoryMembers.SPEC;
    List<LastMount.Mount> kept = new ArrayList<>();
    LastMount last =
        new LastMount() {
          @Override
          public Optional<Mount> find() {
            return kept.stream().findFirst();
          }

          @Override
          public void keep(Mount mount) {
            kept.add(mount);
          }
        };
    OpenOptions options = OpenOptions.DEFAULT.withLastMount(last);
    assertThat(options.follows(spec)).isZero();
    options.mounts(spec).accept(7);
    assertThat(options.follows(spec)).isEqualTo(7);
    kept.set(0, new LastMount.Mount(spec.id() + 1, 7));
    assertThatThrownBy(() -> options.follows(spec))
        .isInstanceOf(SalusException.NotFound.class)
        .hasMessageContaining("another one of its name");
    assertThat(OpenOptions.DEFAULT.follows(spec)).isZero();
    OpenOptions.DEFAULT.mounts(spec).accept(8);
    assertThat(kept).hasSize(1);
  }
}
