package org.salus.sim.fault.wrong;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.salus.core.effect.Effect;

/** Votes for records that it keeps from its DataNode. */
final class Withholds extends WrongMember {

  Withholds(Given given, Random random) {
    super(given, random);
  }

  private boolean begun;

  @Override
  void instead(Effect e, List<Effect> out) {
    begun |= e instanceof Effect.Append && random.nextInt(20) == 0;
    if (begun && e instanceof Effect.Append a) {
      out.addAll(
          onDurable(a.at().plus(a.bytes().stream().mapToInt(ByteBuffer::remaining).sum()), 0));
    } else {
      out.add(e);
    }
  }
}
