package org.salus.core.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.salus.core.Refusal;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.log.Durable;
import org.salus.core.log.LogSummary;
import org.salus.core.log.Prepared;
import org.salus.core.log.Relied;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message.*;
import org.salus.core.wire.MalformedException;

class MessageCodecTest {
  private static final byte[] B = {1, 2, 3};
  private static final byte[] H = new byte[32];

  static final List<Message> ONE_OF_EACH =
      List.of(
          new PutRequest(1, B, 2, B),
          new MountRequest(1, B, B),
          new ResolveRequest(1, B, B),
          new GetRequest(1, 2, 3, 4, 5, 6, 7),
          new PageRequest(1, 2, 3, 4, 5, 6, 7),
          new MountReply(
              1,
              2,
              3,
              new LogSummary(
                  new Durable(3, H), 4, List.of(new Prepared(1, 2, 3, List.of(0, 1), H)))),
          new ResolveReply(1, 2, 3, 4, H),
          new Refused(1, 2, 3, 4, Refusal.NO_SPACE, 5, B, B),
          new Acknowledged(1, new Relied(2, 3, 4, 5), B),
          new GetReply(1, 2, B, 3, true),
          new PageReply(1, 2, H),
          new Chain(B, List.of(B, B)),
          new Certified(1, 2, 3, List.of(B)),
          new LogEnds(1, 2, List.of(new SegmentEnd(1, 2)), List.of(new SegmentEnd(3, 4))),
          new Opening(1, 2, OpeningPhase.REPLAYED, 5),
          new Wrote(1, 2, 3, true, new byte[] {1, 2}),
          new Vote(1, 2, 3, 4, 5, 6, 7, 8, H, null, B),
          new Vote(1, 2, 3, 4, 5, 6, 7, 8, H, Refusal.DAMAGED, B),
          new Commit(1, 2, 3, 4, 5, 6, 7, B, List.of(new Yes(6, B))),
          new Abort(1, new Vote(2, 0, 3, 4, 5, 6, 7, 8, H, Refusal.BUSY, B)),
          new ConfirmQuery(1, 2, 3, 4, 5),
          new Hello(),
          new Built(1, 2, 3, 4, 5, H),
          new InventoryQuery(),
          new InventoryReply("", List.of("disk-1")),
          new HoldingsQuery("disk"),
          new HoldingsReply(
              "none", List.of(new Holding(1, true, List.of("a:1"), 2, 3)), List.of(4L), B, 5),
          new StatusQuery(1),
          new StatusReply(
              1,
              2,
              3,
              true,
              4,
              new LiveFiles(
                  List.of(new SegmentEnd(1, 2)),
                  List.of(new Checkpoint(1, 2, 3, 4, 5, 6, H)),
                  9,
                  H),
              7,
              8,
              5,
              B,
              B,
              true));

  @Test
  void everyMessageComesBackAsItWas() throws MalformedException {
    assertThat(ONE_OF_EACH.stream().map(Object::getClass).distinct())
        .containsExactlyInAnyOrderElementsOf(SignedContextTest.kinds(Message.class));
    for (Message m : ONE_OF_EACH) {
      byte[] bytes = MessageCodec.encode(m);
      assertThat(MessageCodec.encode(MessageCodec.decode(ByteBuffer.wrap(bytes))))
          .as(m.toString())
          .isEqualTo(bytes);
    }
  }

  @Test
  void cutOrForeignBytesAreRefusedAsMalformed() {
    Random random = new Random(1);
    for (Message m : ONE_OF_EACH) {
      byte[] bytes = MessageCodec.encode(m);
      for (int n = 0; n < bytes.length; n++) {
        byte[] cut = Arrays.copyOf(bytes, n);
        assertThatThrownBy(() -> MessageCodec.decode(ByteBuffer.wrap(cut)))
            .isInstanceOf(MalformedException.class);
      }
    }
    byte[] junk = new byte[200];
    for (int i = 0; i < 1000; i++) {
      random.nextBytes(junk);
      junk[0] = (byte) (100 + i % 100);
      assertThatThrownBy(() -> MessageCodec.decode(ByteBuffer.wrap(junk)))
          .isInstanceOf(MalformedException.class);
    }
  }
}
