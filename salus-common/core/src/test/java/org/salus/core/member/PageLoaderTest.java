package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.tree.Hashes;

class PageLoaderTest {
  private final VolumeSpec spec =
      new VolumeSpec("disk", 1, 4096, 2 * PageLoader.MOST * 128L, 1, false, VolumeSpec.MIN_SEGMENT);
  private final RegionContext c =
      new RegionContext(
          spec,
          new Seat(spec.regionId(0), 7, List.of("a", "b", "c"), 1),
          new Signer(new byte[0]),
          new MemberConfig(1, 4),
          MemberRules.PAPER);
  private final PageLoader loader = new PageLoader(c);

  /** Looks at a page that is in a checkpoint, and returns what the loader asks for. */
  private List<MemberEffect> want(long page) {
    byte[] root = new byte[Hashes.BYTES];
    root[0] = 1;
    c.index.setRoot(page, root);
    assertThat(c.index.children(0, page, List.of())).isNull();
    loader.request();
    return c.out.take();
  }

  private static MemberEffect load(int version, long page) {
    return new MemberEffect.LoadPages(version, List.of(page), List.of());
  }

  @Test
  void asksOnceForEachPage() {
    assertThat(want(1)).containsExactly(load(0, 1));
    assertThat(want(1)).isEmpty();
    loader.onLoaded(0, 1, new byte[128 * Hashes.BYTES]);
    assertThat(loader.isWaiting()).isFalse();
  }

  @Test
  void aSessionThatAsksForPagesWithoutEndHasABoundedNumberUnderWay() {
    for (long page = 0; page < PageLoader.MOST; page++) {
      assertThat(want(page)).containsExactly(load(0, page));
    }
    assertThat(want(PageLoader.MOST)).isEmpty();
    loader.onLoaded(0, 7, new byte[128 * Hashes.BYTES]);
    assertThat(want(PageLoader.MOST)).containsExactly(load(0, PageLoader.MOST));
    assertThat(want(PageLoader.MOST + 1)).isEmpty();
  }

  @Test
  void liveCheckpointsThatCannotBeReadEndTheMember() {
    want(1);
    loader.onUnreadable(0, "all three are damaged");
    assertThat(c.out.take())
        .containsExactly(
            new MemberEffect.Unable(
                "no replica of its checkpoints can be read: all three are damaged"));
  }

  @Test
  void checkpointsThatWereMergedMeanwhileNeedNotBeThere() {
    want(1);
    c.flushed();
    loader.onUnreadable(0, "there is no such file");
    assertThat(c.out.take()).isEmpty();
    assertThat(want(1)).as("what is still wanted").containsExactly(load(1, 1));
  }
}
