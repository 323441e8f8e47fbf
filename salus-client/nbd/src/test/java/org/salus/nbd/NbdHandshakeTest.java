package org.salus.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.nbd.GatedBridge.SIZE;
import static org.salus.nbd.RawNbd.BASE;
import static org.salus.nbd.RawNbd.NOTHING;
import static org.salus.nbd.RawNbd.join;
import static org.salus.nbd.RawNbd.name;
import static org.salus.nbd.RawNbd.option;
import static org.salus.nbd.RawNbd.receive;
import static org.salus.nbd.RawNbd.replies;
import static org.salus.nbd.RawNbd.send;
import static org.salus.nbd.RawNbd.structuredReply;

import java.io.IOException;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NbdHandshakeTest {
  private GatedBridge bridge;

  @BeforeEach
  void start() throws IOException {
    bridge = new GatedBridge();
  }

  @AfterEach
  void stop() {
    bridge.close();
  }

  @Test
  void unknownOptionsAndCutOptionsAreAnswered() throws Exception {
    try (Socket s = bridge.connect(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES)) {
      s.getOutputStream().write(option(4711, new byte[5]));
      assertThat(receive(s, 20).getInt(12)).isEqualTo(Nbd.REP_ERR_UNSUP);
      receive(s, "option 4711 is not supported".length());
      s.getOutputStream().write(option(Nbd.OPT_GO, new byte[] {0, 0, 9, 9, 1}));
      assertThat(receive(s, 20).getInt(12)).isEqualTo(Nbd.REP_ERR_INVALID);
    }
  }

  @Test
  void unfragmentedReadsAreOfferedWithStructuredRepliesOnly() throws Exception {
    try (Socket s = bridge.connect(Nbd.FLAG_FIXED_NEWSTYLE)) {
      assertThat(replies(s, Nbd.OPT_INFO, name("disk0"), NOTHING))
          .contains(Nbd.TRANSMISSION_FLAGS)
          .endsWith(Nbd.REP_ACK);
      assertThat(Nbd.TRANSMISSION_FLAGS & Nbd.FLAG_SEND_DF).isZero();
      assertThat(replies(s, Nbd.OPT_STRUCTURED_REPLY)).containsExactly(Nbd.REP_ACK);
      assertThat(replies(s, Nbd.OPT_GO, name("disk0"), NOTHING))
          .contains(Nbd.TRANSMISSION_FLAGS | Nbd.FLAG_SEND_DF);
      send(s, Nbd.CMD_FLAG_DF, Nbd.CMD_READ, 0, 1, new byte[0]);
      assertThat(structuredReply(s)).isZero();
      send(s, 0, Nbd.CMD_READ, 0, 0, new byte[0]);
      assertThat(structuredReply(s)).isZero();
      send(s, 0, Nbd.CMD_READ, 0, Nbd.MAX_PAYLOAD + 1, new byte[0]);
      assertThat(structuredReply(s)).isEqualTo(Nbd.EOVERFLOW);
      send(s, 0, Nbd.CMD_READ, SIZE, Nbd.MAX_PAYLOAD + 1, new byte[0]);
      assertThat(structuredReply(s)).as("too long, and past the end").isEqualTo(Nbd.EINVAL);
    }
    try (Socket s = bridge.connect(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES)) {
      s.getOutputStream().write(option(Nbd.OPT_EXPORT_NAME, new byte[0]));
      assertThat(receive(s, 10).getShort(8)).isEqualTo((short) Nbd.TRANSMISSION_FLAGS);
    }
  }

  /** The errno of a BLOCK_STATUS after these options and a GO to disk0. */
  private int blockStatus(byte[]... options) throws IOException {
    try (Socket s = bridge.connect(Nbd.FLAG_FIXED_NEWSTYLE)) {
      replies(s, Nbd.OPT_STRUCTURED_REPLY);
      for (byte[] set : options) {
        replies(s, Nbd.OPT_SET_META_CONTEXT, set);
      }
      assertThat(replies(s, Nbd.OPT_GO, name("disk0"), NOTHING)).endsWith(Nbd.REP_ACK);
      send(s, 0, Nbd.CMD_BLOCK_STATUS, 0, 4096, new byte[0]);
      return structuredReply(s);
    }
  }

  @Test
  void metaContextCountsForTheExportOfTheLastChoiceOnly() throws Exception {
    byte[] mine = join(name("disk0"), BASE);
    assertThat(blockStatus()).isEqualTo(Nbd.EINVAL);
    assertThat(blockStatus(mine)).isZero();
    assertThat(blockStatus(join(name("disk1"), BASE))).isEqualTo(Nbd.EINVAL);
    assertThat(blockStatus(mine, join(name("disk1"), BASE))).isEqualTo(Nbd.EINVAL);
    assertThat(blockStatus(join(name("disk1"), BASE), mine)).isZero();
    assertThat(blockStatus(mine, join(name("disk0"), new byte[4]))).isEqualTo(Nbd.EINVAL);
    for (byte[] failed :
        List.of(join(name("none"), BASE), join(name("disk0"), new byte[3]), new byte[1 << 17])) {
      assertThat(blockStatus(mine, failed)).as("a choice that failed").isEqualTo(Nbd.EINVAL);
    }
  }

  @Test
  void wrongDataOfAnOptionIsAnsweredAndTheHandshakeGoesOn() throws Exception {
    byte[] one = {0, 0, 0, 1};
    try (Socket s = bridge.connect(Nbd.FLAG_FIXED_NEWSTYLE)) {
      assertThat(replies(s, Nbd.OPT_SET_META_CONTEXT, name("disk0"), BASE))
          .containsExactly(Nbd.REP_ERR_INVALID);
      replies(s, Nbd.OPT_STRUCTURED_REPLY);
      assertThat(replies(s, Nbd.OPT_LIST, one)).containsExactly(Nbd.REP_ERR_INVALID);
      assertThat(replies(s, Nbd.OPT_STRUCTURED_REPLY, one)).containsExactly(Nbd.REP_ERR_INVALID);
      for (String bad : List.of("a".repeat(Nbd.MAX_STRING + 1), "disk0\0")) {
        assertThat(replies(s, Nbd.OPT_GO, name(bad), NOTHING)).containsExactly(Nbd.REP_ERR_INVALID);
      }
      assertThat(replies(s, Nbd.OPT_GO, one, new byte[] {(byte) 0xff}, NOTHING))
          .as("not UTF-8")
          .containsExactly(Nbd.REP_ERR_INVALID);
      assertThat(replies(s, Nbd.OPT_GO, name("a".repeat(Nbd.MAX_STRING)), NOTHING))
          .containsExactly(Nbd.REP_ERR_UNKNOWN);
      assertThat(replies(s, Nbd.OPT_GO, name("disk0"), NOTHING, NOTHING))
          .containsExactly(Nbd.REP_ERR_INVALID);
      for (int option : List.of(Nbd.OPT_LIST_META_CONTEXT, Nbd.OPT_SET_META_CONTEXT)) {
        assertThat(replies(s, option, name("disk0"), new byte[] {-1, -1, -1, -1}))
            .as("queries that are not there")
            .containsExactly(Nbd.REP_ERR_INVALID);
        assertThat(replies(s, option, name("disk0"), BASE, one))
            .as("data behind the queries")
            .containsExactly(Nbd.REP_ERR_INVALID);
      }
      assertThat(replies(s, Nbd.OPT_GO, new byte[1 << 20])).containsExactly(Nbd.REP_ERR_TOO_BIG);
      assertThat(replies(s, 4711, new byte[1 << 20])).containsExactly(Nbd.REP_ERR_UNSUP);
      assertThat(replies(s, Nbd.OPT_LIST))
          .containsExactly(Nbd.REP_SERVER, Nbd.REP_SERVER, Nbd.REP_ACK);
      assertThat(replies(s, Nbd.OPT_ABORT, new byte[1 << 20])).containsExactly(Nbd.REP_ACK);
      assertThat(s.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void clientThatDoesNotKnowTheFixedHandshakeIsServed() throws Exception {
    try (Socket s = bridge.connect(0)) {
      s.getOutputStream().write(option(Nbd.OPT_EXPORT_NAME, new byte[0]));
      assertThat(receive(s, 134).getLong()).isEqualTo(SIZE);
    }
  }
}
