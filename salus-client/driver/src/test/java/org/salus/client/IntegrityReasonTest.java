package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionEffect;
import org.salus.core.log.Durable;
import org.salus.core.log.LogSummary;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.ResolveReply;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;

/**
 * Checks the message that a user of a session sees; the session has one region and scripted
 * members.
 */
class IntegrityReasonTest {
  private static final byte[] ZERO = new byte[32];
  private static final RegionId REGION = new RegionId(9, 0);

  private final Signer signer = new Signer(new byte[0]);
  private final VolumeSession session =
      new VolumeSession(
          new VolumeSpec("v", 9, 4096, 256, 1, false, 4 << 20),
          3,
          signer,
          SessionConfig.defaults());
  private final IntegrityReason trouble = new IntegrityReason();

  private void from(int lane, Message m) {
    for (SessionEffect e : session.onMessage(new Endpoint.Member(REGION, lane), m, null, 0)) {
      if (e instanceof SessionEffect.Report r) {
        trouble.note(r);
      }
    }
  }

  private void mount() {
    session.onRrs(0, 1, 3, 0);
    List<Message> replies = new ArrayList<>();
    for (int lane = 0; lane < 3; lane++) {
      replies.add(new MountReply(1, lane, 3, new LogSummary(Durable.NOTHING, 0, List.of())));
    }
    for (int lane = 0; lane < 3; lane++) {
      replies.add(new ResolveReply(1, lane, 3, 0, ZERO));
    }
    for (int i = 0; i < replies.size(); i++) {
      from(i % 3, replies.get(i));
    }
  }

  private Commit committed(int lane, long seq) {
    return new Commit(0, 1, lane, Commit.SESSION, 3, 0, seq, new byte[0], List.of())
        .sign(REGION.volume(), signer);
  }

  private Refused lost(int lane) {
    return new Refused(1, lane, 3, 1, Refusal.LOST, 0, new byte[0], new byte[0])
        .sign(REGION, signer);
  }

  @Test
  void whoWroteWhatALogLacksIsToldWhatAndTheWayOut() {
    mount();
    session.write(1, 7, ByteBuffer.allocate(4096).put(0, (byte) 1), false, 0);
    for (int lane = 0; lane < 3; lane++) {
      from(lane, committed(lane, 1));
    }
    for (int lane = 0; lane < 3; lane++) {
      from(lane, lost(lane));
    }
    assertThat(trouble.exception("disk"))
        .hasMessage(
            "volume disk: region 0: the logs of all members end before seq 1 that all lanes had committed;"
                + " start the DataNodes that are down, or bring the replicas of the log back, before the volume is mounted again");
  }

  @Test
  void whatAMemberIsAccusedOfIsNoReasonForTheEnd() {
    trouble.note(
        new SessionEffect.Report(
            0, 1, 2, true, "sent blocks that the volume tree does not confirm"));
    assertThat(trouble.exception("disk"))
        .hasMessageContaining("no member has what the volume tree says")
        .hasMessageContaining("SalusClient.info");
    trouble.note(
        new SessionEffect.Report(-1, -1, "the regions' roots do not give the volume root"));
    assertThat(trouble.exception("disk"))
        .hasMessage("volume disk: the regions' roots do not give the volume root");
  }
}
