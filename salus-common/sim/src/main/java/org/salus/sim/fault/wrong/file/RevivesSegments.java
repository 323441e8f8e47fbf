package org.salus.sim.fault.wrong.file;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.salus.core.effect.MemberEffect;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that keeps the permissions to create segments, and what it has written there. Once
 * a segment is deleted, it creates it again with the old bytes. Then all servers crash, so that
 * everybody reads the log before anybody deletes the segment again.
 */
public final class RevivesSegments extends WrongMember {
  private static final int SELDOM = 3;

  /** More than M0 needs to delete a file, in nanoseconds. */
  private static final long DELETED = 50_000_000;

  private final Levers levers;
  private final RollReader rolls;
  private final Map<Long, byte[]> permissions = new TreeMap<>();
  private final Map<Long, ByteArrayOutputStream> written = new TreeMap<>();
  private boolean hasRevived;

  public RevivesSegments(Given given, Levers levers, Random random) {
    super(given, random);
    this.levers = levers;
    this.rolls = new RollReader(seat, signer);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
    if (e instanceof MemberEffect.CreateSegment x) {
      permissions.put(x.segment(), x.permission());
    } else if (e instanceof MemberEffect.Append a) {
      keep(a);
    } else if (e instanceof MemberEffect.Tidy t && !hasRevived && random.nextInt(SELDOM) == 0) {
      permissions.keySet().stream()
          .filter(s -> written.containsKey(s) && t.manifest().discards(s, t.segment()))
          .findFirst()
          .ifPresent(this::revive);
    }
  }

  private void keep(MemberEffect.Append a) {
    written
        .computeIfAbsent(a.at().segment(), s -> new ByteArrayOutputStream())
        .writeBytes(RollReader.bytes(a));
    RollReader.Creation found = rolls.in(a);
    if (found != null) {
      permissions.put(found.segment(), found.permission());
    }
  }

  private void revive(long segment) {
    hasRevived = true;
    byte[] replica = written.get(segment).toByteArray();
    levers.after(
        DELETED,
        () ->
            levers.createSegment(
                seat.name(), seat.region(), segment, permissions.get(segment), replica));
    levers.after(2 * DELETED, levers::crashAll);
  }
}
