package org.salus.core.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.salus.core.tree.SessionTree.PageId;

class SessionTreeTest {
  private final Hashes hashes = new Hashes();

  /** The whole tree, computed without pages. */
  private byte[] naive(byte[][] leaves) {
    byte[] all = new byte[leaves.length * Hashes.BYTES];
    for (int i = 0; i < leaves.length; i++) {
      System.arraycopy(leaves[i], 0, all, i * Hashes.BYTES, Hashes.BYTES);
    }
    return hashes.root(all);
  }

  private byte[] children(byte[][] leaves, PageId id) {
    int span = 1;
    for (int i = 0; i < id.level(); i++) {
      span *= TreeShape.FANOUT;
    }
    TreeShape shape = new TreeShape(leaves.length);
    byte[] children = new byte[shape.width(id.level()) * Hashes.BYTES];
    for (int c = 0; c < shape.width(id.level()); c++) {
      byte[][] below = new byte[span][];
      System.arraycopy(leaves, (int) (id.index() * TreeShape.FANOUT + c) * span, below, 0, span);
      System.arraycopy(naive(below), 0, children, c * Hashes.BYTES, Hashes.BYTES);
    }
    return children;
  }

  private static byte[][] zeros(int n) {
    byte[][] leaves = new byte[n][];
    for (int i = 0; i < n; i++) {
      leaves[i] = Hashes.zero();
    }
    return leaves;
  }

  private void fetch(SessionTree t, byte[][] leaves, long leaf) {
    for (var missing = t.missing(leaf, leaf); !missing.isEmpty(); missing = t.missing(leaf, leaf)) {
      for (PageId p : missing) {
        assertThat(t.offer(p, children(leaves, p))).isTrue();
      }
    }
  }

  @Property(tries = 30)
  void equalsTheWholeTreeWhateverIsEvictedAndFetchedAgain(
      @ForAll long seed, @ForAll @IntRange(min = 5, max = 15) int power) {
    Random random = new Random(seed);
    byte[][] leaves = zeros(1 << power);
    SessionTree t = new SessionTree(new TreeShape(leaves.length), Hashes.zero(), 3, hashes);
    for (int i = 0; i < 60; i++) {
      int leaf = random.nextInt(leaves.length);
      fetch(t, leaves, leaf);
      assertThat(t.leaf(leaf)).isEqualTo(leaves[leaf]);
      byte[] hash = new byte[Hashes.BYTES];
      if (random.nextInt(4) > 0) {
        random.nextBytes(hash);
      }
      t.update(leaf, hash);
      leaves[leaf] = hash;
      assertThat(t.root()).isEqualTo(naive(leaves));
      assertThat(t.size()).isLessThanOrEqualTo(3 + new TreeShape(leaves.length).top() + 1);
    }
  }

  @Test
  void refusesAPageThatItsRootDoesNotConfirm() {
    byte[][] leaves = zeros(1 << 10);
    leaves[700] = hashes.leaf(ByteBuffer.wrap(new byte[] {1}));
    SessionTree t = new SessionTree(new TreeShape(leaves.length), naive(leaves), 10, hashes);
    PageId top = t.missing(700, 700).get(0);
    byte[] altered = children(leaves, top);
    altered[5] ^= 1;
    assertThat(t.offer(top, altered)).isFalse();
    assertThat(t.missing(700, 700)).containsExactly(top);
  }

  @Test
  void aFreshVolumeOfAnySizeNeedsNoFetch() {
    SessionTree t = new SessionTree(new TreeShape(1L << 32), Hashes.zero(), 10, hashes);
    assertThat(t.missing((1L << 32) - 1, (1L << 32) - 1)).isEmpty();
    assertThat(t.size()).isEqualTo(5);
  }
}
