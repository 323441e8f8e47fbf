package org.salus.sim.fault.wrong.member;

import java.util.List;
import java.util.Random;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.checkpoint.Generation;
import org.salus.core.effect.MemberEffect;

/**
 * A wrong member whose memory is corrupt: leaf hashes, roots and what it built change by
 * themselves.
 */
public final class CorruptMemory extends WrongMember {

  public CorruptMemory(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    if (e instanceof MemberEffect.Flush f && random.nextBoolean()) {
      Generation.Snapshot s = f.content();
      Generation.Snapshot other =
          new Generation.Snapshot(s.locals(), s.offsets(), flipped(s.hashes(), random));
      out.add(new MemberEffect.Flush(f.checkpoint(), f.segment(), other, f.older()));
    } else {
      out.add(e);
    }
  }

  @Override
  public List<MemberEffect> onBuilt(
      long checkpoint, long length, int crc, CheckpointBuilder.Roots roots, long now) {
    return super.onBuilt(checkpoint, length, random.nextBoolean() ? crc : crc ^ 1, roots, now);
  }

  @Override
  public List<MemberEffect> onPageLoaded(int version, long page, byte[] leaves, long now) {
    return super.onPageLoaded(
        version, page, random.nextBoolean() ? leaves : flipped(leaves, random), now);
  }

  @Override
  public void onRoot(long page, byte[] root) {
    super.onRoot(page, random.nextInt(20) > 0 ? root : flipped(root, random));
  }
}
