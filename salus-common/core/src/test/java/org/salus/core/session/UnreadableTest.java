package org.salus.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.core.session.block.HashedBlocks;

class UnreadableTest {
  private final SessionContext context =
      new SessionContext(
          new VolumeSpec("v", 9, 4096, 1 << 20, 1, false, 4 << 20),
          3,
          new Signer(new byte[0]),
          SessionConfig.defaults(),
          new HashedBlocks(),
          SessionRules.PAPER);
  private final Unreadable unreadable = new Unreadable(context);

  private static List<Long> blocks(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private List<Long> found(long from, long to) {
    unreadable.found(0, blocks(from, to), "lost");
    return ((SessionEffect.Unreadable) context.take().get(0)).blocks();
  }

  @Test
  void blocksThatNoMemberHasAreKeptUpToABound() {
    long most = Unreadable.MOST;
    assertThat(found(0, most - 1)).hasSize((int) most - 1);
    assertThat(found(most - 1, 3 * most)).containsExactly(most - 1);
    assertThat(found(3 * most, 4 * most)).isEmpty();
    assertThat(found(0, 2)).as("they are known").containsExactly(0L, 1L);
    unreadable.forget(0, 1);
    assertThat(context.take()).containsExactly(new SessionEffect.Readable(List.of(0L)));
    assertThat(found(5 * most, 6 * most)).containsExactly(5 * most);
  }
}
