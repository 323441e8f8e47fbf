package org.salus.sim.fault.wrong.member;

import java.util.List;
import java.util.Random;
import org.salus.core.Lanes;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.MemberEffect.Piece;
import org.salus.core.effect.Send;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.PageReply;

/**
 * A wrong member that answers GETs with other bytes and requests for pages with other hashes. It
 * also answers requests that went to another member.
 */
public final class WrongReads extends WrongMember {

  public WrongReads(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    if (e instanceof MemberEffect.ServeGet g && random.nextInt(4) > 0) {
      out.add(
          new MemberEffect.ServeGet(
              g.to(),
              g.id(),
              g.lane(),
              g.first(),
              g.count(),
              g.pieces().stream().map(this::other).toList(),
              g.checkpoints()));
      // A session numbers its requests one by one, so it may have sent this one to another member.
      long other = g.id() + (random.nextBoolean() ? 1 : -1);
      out.add(
          new Send(
              g.to(),
              new GetReply(
                  other, random.nextInt(Lanes.COUNT), new byte[(g.count() + 7) / 8], 0, false),
              null));
    } else if (e instanceof Send s && s.message() instanceof PageReply p && random.nextInt(4) > 0) {
      out.add(
          new Send(s.to(), new PageReply(p.id(), p.lane(), flipped(p.children(), random)), null));
    } else {
      out.add(e);
    }
  }

  private Piece other(Piece p) {
    return switch (random.nextInt(3)) {
      case 0 -> new Piece(Piece.Kind.ZERO, p.blocks(), 0, 0);
      case 1 ->
          new Piece(p.kind(), p.blocks(), p.segment(), Math.max(0, p.offset() - spec.blockSize()));
      default -> new Piece(Piece.Kind.CHECKPOINT, p.blocks(), 0, 0);
    };
  }
}
