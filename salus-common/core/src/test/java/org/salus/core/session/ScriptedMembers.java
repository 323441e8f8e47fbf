package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.log.Durable;
import org.salus.core.log.LogSummary;
import org.salus.core.log.MountBody;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.ResolveReply;

/**
 * A session of a volume with one region. Its members say what the test lets them say, and nothing
 * by themselves.
 */
final class ScriptedMembers {
  static final byte[] ZERO = new byte[32];
  static final VolumeSpec SPEC = new VolumeSpec("v", 9, 4096, 256, 1, false, 4 << 20);
  static final Signer SIGNER = new Signer(new byte[0]);
  static final long RESEND = SessionConfig.defaults().resendAfterNanos();

  final VolumeSession session;

  ScriptedMembers() {
    this(SessionConfig.defaults());
  }

  ScriptedMembers(SessionConfig config) {
    session = new VolumeSession(SPEC, 3, SIGNER, config);
  }

  static Endpoint.Member member(int lane) {
    return new Endpoint.Member(new RegionId(9, 0), lane);
  }

  List<SessionEffect> from(int lane, Message m) {
    return session.onMessage(member(lane), m, null, 0);
  }

  static Message commit(int lane, long seq) {
    return commit(lane, 0, seq);
  }

  /** A commit of a view, each of which an epoch begins. */
  static Message commit(int lane, int view, long seq) {
    return commit(lane, view + 1, view, seq);
  }

  static Commit commit(int lane, int epoch, int view, long seq) {
    return new Commit(0, epoch, lane, Commit.SESSION, 3, view, seq, new byte[0], List.of())
        .sign(9, SIGNER);
  }

  List<SessionEffect> mount(byte[] rootOfLaneTwo) {
    session.onRrs(0, 1, 3, 0);
    for (int lane = 0; lane < 3; lane++) {
      from(lane, new MountReply(1, lane, 3, new LogSummary(Durable.NOTHING, 0, List.of())));
    }
    from(0, new ResolveReply(1, 0, 3, 0, ZERO));
    from(1, new ResolveReply(1, 1, 3, 0, ZERO));
    return from(2, new ResolveReply(1, 2, 3, 0, rootOfLaneTwo));
  }

  List<SessionEffect> write(long id) {
    return session.write(id, 7, block(), false, 0);
  }

  void mountAndWrite() {
    mount(ZERO);
    write(1);
    for (int lane = 0; lane < 3; lane++) {
      from(lane, commit(lane, 1));
    }
  }

  static ByteBuffer block() {
    byte[] b = new byte[4096];
    b[0] = 1;
    return ByteBuffer.wrap(b);
  }

  static ByteBuffer wrong() {
    return ByteBuffer.allocate(4096);
  }

  /** The answer blames the next lane. */
  List<SessionEffect> answer(Send asked, ByteBuffer block, long now) {
    return session.onMessage(
        asked.to(),
        new GetReply(
            ((GetRequest) asked.message()).id(),
            (lane(asked) + 1) % 3,
            new byte[1],
            0,
            block == null),
        block,
        now);
  }

  static Refused refused(int lane, Refusal why, long seq, byte[] shown) {
    return new Refused(1, lane, 3, 1, why, seq, shown, new byte[0])
        .sign(new RegionId(9, 0), SIGNER);
  }

  static byte[] signedMount(long mountEpoch) {
    return MountBody.proof(
        1, new MountBody(mountEpoch).request(new RegionId(9, 0), 1).sign(mountEpoch, SIGNER));
  }

  // ---- what the session does ----

  static List<PutRequest> sent(List<SessionEffect> effects) {
    return effects.stream()
        .filter(e -> e instanceof Send s && s.message() instanceof PutRequest)
        .map(e -> (PutRequest) ((Send) e).message())
        .toList();
  }

  static PutRequest put(List<SessionEffect> effects) {
    return (PutRequest)
        effects.stream()
            .map(e -> ((Send) e).message())
            .filter(m -> m instanceof PutRequest)
            .findFirst()
            .orElseThrow();
  }

  static Send get(List<SessionEffect> effects) {
    return effects.stream()
        .filter(e -> e instanceof Send s && s.message() instanceof GetRequest)
        .map(e -> (Send) e)
        .findFirst()
        .orElseThrow();
  }

  static List<Send> gets(List<SessionEffect> effects) {
    return effects.stream()
        .filter(e -> e instanceof Send s && s.message() instanceof GetRequest)
        .map(e -> (Send) e)
        .toList();
  }

  static int lane(Send s) {
    return ((Endpoint.Member) s.to()).lane();
  }

  static List<SessionEffect.Report> reports(List<SessionEffect> effects) {
    return effects.stream()
        .filter(e -> e instanceof SessionEffect.Report)
        .map(e -> (SessionEffect.Report) e)
        .toList();
  }
}
