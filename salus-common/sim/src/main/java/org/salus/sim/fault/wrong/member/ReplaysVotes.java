package org.salus.sim.fault.wrong.member;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.salus.core.Endpoint;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.Message.Yes;
import org.salus.core.wire.MalformedException;

/**
 * A wrong leader that commits, in a new view, by the votes of the view before. It shows these
 * votes, which are genuine, to the session.
 */
public final class ReplaysVotes extends WrongMember {
  private static final int MOST = 1000;

  /** The newest YES by the batch's last seq, region and lane. */
  private final Map<String, Vote> votes = new TreeMap<>();

  public ReplaysVotes(Given given, Random random) {
    super(given, random);
  }

  @Override
  public List<MemberEffect> onMessage(Endpoint from, Message m, ByteBuffer payload, long now) {
    if (m instanceof Vote v && v.no() == null) {
      if (votes.size() >= MOST) {
        votes.clear();
      }
      votes.put(key(v.last(), v.region(), v.lane()), v);
    }
    return super.onMessage(from, m, payload, now);
  }

  private static String key(long last, int region, int lane) {
    return last + "/" + region + "/" + lane;
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
    LogRecord r = forwarded(e);
    if (r != null && r.type() == LogRecord.Type.PUT) {
      try {
        SubBatch b = SubBatch.decode(r.content());
        if (b.participants().leader() == seat.region().index()) {
          seat.lanes().forEach(lane -> commit(b, lane, out));
        }
      } catch (MalformedException impossible) {
        throw new IllegalStateException("it was read before", impossible);
      }
    }
  }

  private void commit(SubBatch b, int lane, List<MemberEffect> out) {
    List<Yes> old =
        b.participants().regions().stream()
            .map(p -> votes.get(key(b.last(), p, lane)))
            .filter(Objects::nonNull)
            .map(v -> new Yes(v.region(), v.signature()))
            .toList();
    if (!old.isEmpty()) {
      out.add(confirmation(b, lane, old));
    }
  }
}
