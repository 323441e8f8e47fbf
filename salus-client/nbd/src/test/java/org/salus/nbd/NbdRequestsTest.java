package org.salus.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.nbd.GatedBridge.SIZE;
import static org.salus.nbd.RawNbd.receive;
import static org.salus.nbd.RawNbd.send;
import static org.salus.nbd.RawNbd.sendReads;
import static org.salus.nbd.RawNbd.simpleReply;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests of clients, right and wrong ones, and what they take of the bridge's memory. */
class NbdRequestsTest {
  private static final int SIMPLE_REPLY = 16;

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
  void anOldClientGetsSimpleReplies() throws Exception {
    try (Socket s = bridge.oldClient()) {
      send(s, 0, Nbd.CMD_WRITE, 10, 3, new byte[] {1, 2, 3});
      assertThat(simpleReply(s)).isZero();
      send(s, 0, Nbd.CMD_READ, 9, 5, new byte[0]);
      assertThat(simpleReply(s)).isZero();
      assertThat(receive(s, 5).array()).containsExactly(0, 1, 2, 3, 0);
    }
  }

  @Test
  void badRequestsGetTheirErrnoAndTheConnectionGoesOn() throws Exception {
    try (Socket s = bridge.oldClient()) {
      send(s, 0, Nbd.CMD_READ, SIZE - 1, 2, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_WRITE, SIZE, 1, new byte[1]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.ENOSPC);
      send(s, 0, Nbd.CMD_READ, -5, 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_READ, 0, Nbd.MAX_PAYLOAD + 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, Nbd.CMD_FLAG_DF, Nbd.CMD_READ, 0, 1, new byte[0]);
      assertThat(simpleReply(s)).as("DF without structured replies").isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_TRIM, SIZE, 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_WRITE_ZEROES, SIZE, 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.ENOSPC);
      send(s, 0, Nbd.CMD_FLUSH, 0, 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_READ, SIZE, 0, new byte[0]);
      assertThat(simpleReply(s)).as("a read of nothing, at the end").isZero();
      send(s, 0, 77, 0, 0, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 1 << 9, Nbd.CMD_READ, 0, 1, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_BLOCK_STATUS, 0, 10, new byte[0]);
      assertThat(simpleReply(s)).isEqualTo(Nbd.EINVAL);
      send(s, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
      assertThat(simpleReply(s)).isZero();
    }
  }

  /** A client that reconnects asks the next bridge for what this one has not answered. */
  @Test
  void aBridgeThatEndsAnswersWhatItHasBegunAndNothingElse() throws Exception {
    bridge.gate = new CompletableFuture<>();
    try (Socket s = bridge.oldClient();
        Socket idle = bridge.oldClient()) {
      CompletableFuture<Void> ended = endDuringAWrite(s, idle);
      bridge.gate.complete(null);
      assertThat(simpleReply(s)).isZero();
      assertThat(s.getInputStream().read()).isEqualTo(-1);
      ended.get();
    }
  }

  @Test
  void aBridgeThatEndsDoesNotAnswerWhatComesThen() throws Exception {
    bridge.gate = new CompletableFuture<>();
    try (Socket s = bridge.oldClient();
        Socket idle = bridge.oldClient()) {
      CompletableFuture<Void> ended = endDuringAWrite(s, idle);
      send(s, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
      bridge.gate.complete(null);
      assertThat(received(s)).as("the answer to the write at most").isIn(0, SIMPLE_REPLY);
      ended.get();
    }
  }

  /** Returns when the bridge has let go the client that awaits nothing. */
  private CompletableFuture<Void> endDuringAWrite(Socket s, Socket idle) throws IOException {
    send(s, 0, Nbd.CMD_WRITE, 0, 3, new byte[] {1, 2, 3});
    while (bridge.begun.get() == 0) {
      Thread.onSpinWait();
    }
    CompletableFuture<Void> ended =
        CompletableFuture.runAsync(() -> bridge.end(Duration.ofMinutes(1)));
    assertThat(idle.getInputStream().read()).isEqualTo(-1);
    return ended;
  }

  /** The bytes until the connection ends. It may end while bytes are on their way to the bridge. */
  private static int received(Socket s) throws IOException {
    int count = 0;
    try {
      while (s.getInputStream().read() >= 0) {
        count++;
      }
    } catch (SocketException reset) {
      assertThat(reset).hasMessageContaining("reset");
    }
    return count;
  }

  @Test
  void aBridgeThatEndsDoesNotWaitForEver() throws Exception {
    bridge.gate = new CompletableFuture<>();
    try (Socket s = bridge.oldClient()) {
      send(s, 0, Nbd.CMD_READ, 0, 3, new byte[0]);
      while (bridge.begun.get() == 0) {
        Thread.onSpinWait();
      }
      bridge.end(Duration.ofMillis(50));
      bridge.gate.completeExceptionally(new IllegalStateException("the volume is closed"));
      assertThat(s.getInputStream().read()).as("no error either").isEqualTo(-1);
    }
  }

  @Test
  void garbageClosesItsConnectionOnly() throws Exception {
    try (Socket other = bridge.oldClient();
        Socket before = bridge.connect(0x7f7f7f7f);
        Socket options = bridge.connect(Nbd.FLAG_FIXED_NEWSTYLE);
        Socket after = bridge.oldClient()) {
      assertThat(before.getInputStream().read()).isEqualTo(-1);
      options.getOutputStream().write(new byte[64]);
      assertThat(options.getInputStream().read()).isEqualTo(-1);
      after.getOutputStream().write(new byte[64]);
      assertThat(after.getInputStream().read()).isEqualTo(-1);
      send(other, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
      assertThat(simpleReply(other)).isZero();
    }
  }

  @Test
  void aWriteWhoseClientVanishesIsNotExecuted() throws Exception {
    try (Socket s = bridge.oldClient()) {
      send(s, 0, Nbd.CMD_WRITE, 0, 1000, new byte[] {1, 2, 3});
    }
    try (Socket s = bridge.oldClient()) {
      send(s, 0, Nbd.CMD_READ, 0, 3, new byte[0]);
      assertThat(simpleReply(s)).isZero();
      assertThat(receive(s, 3).array()).containsOnly(0);
    }
  }

  @Test
  void readsThatCameTogetherAreTakenAsThereIsRoomForTheirAnswers() throws Exception {
    bridge.gate = new CompletableFuture<>();
    try (Socket s = bridge.oldClient();
        Socket other = bridge.oldClient()) {
      sendReads(s, 8, Nbd.MAX_PAYLOAD);
      assertThat(bridge.awaitNoMore(other)).as("reads of 32 MiB that were begun").isEqualTo(2);
      bridge.gate.complete(null);
      for (int i = 0; i < 8; i++) {
        assertThat(simpleReply(s)).isZero();
        receive(s, Nbd.MAX_PAYLOAD);
      }
    }
  }

  @Test
  void writesAreTakenAsThereIsRoomForThem() throws Exception {
    bridge.gate = new CompletableFuture<>();
    try (Socket s = bridge.oldClient();
        Socket other = bridge.oldClient()) {
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int i = 0; i < 8; i++) {
                    send(s, 0, Nbd.CMD_WRITE, 0, Nbd.MAX_PAYLOAD, new byte[Nbd.MAX_PAYLOAD]);
                  }
                } catch (IOException failed) {
                  throw new UncheckedIOException(failed);
                }
              });
      while (bridge.begun.get() < 2) {
        bridge.awaitNoMore(other);
      }
      assertThat(bridge.awaitNoMore(other)).as("writes of 32 MiB that were begun").isEqualTo(2);
      assertThat(sent).isNotDone();
      bridge.gate.complete(null);
      for (int i = 0; i < 8; i++) {
        assertThat(simpleReply(s)).isZero();
      }
      sent.get();
    }
  }

  @Test
  void whoDoesNotTakeItsAnswersGetsNoMore() throws Exception {
    int reads = 300;
    try (Socket s = bridge.oldClient();
        Socket other = bridge.oldClient()) {
      sendReads(s, reads, 1 << 20);
      assertThat(bridge.awaitNoMore(other))
          .as("reads of 1 MiB that were begun")
          .isLessThan(reads / 2);
      for (int i = 0; i < reads; i++) {
        assertThat(simpleReply(s)).isZero();
        receive(s, 1 << 20);
      }
    }
  }

  @Test
  void whatIsOutstandingAtADisconnectIsAnsweredBeforeTheEnd() throws Exception {
    bridge.gate = new CompletableFuture<>();
    try (Socket s = bridge.oldClient();
        Socket other = bridge.oldClient()) {
      int reads = 2000; // more than a connection has under way at once
      send(s, 0, Nbd.CMD_WRITE, 0, 3, new byte[] {1, 2, 3});
      sendReads(s, reads, 4096);
      send(s, 0, Nbd.CMD_DISC, 0, 0, new byte[0]);
      s.shutdownOutput();
      bridge.awaitNoMore(other);
      bridge.gate.complete(null);
      receive(s, 16 + reads * (16 + 4096)); // in any order
      assertThat(s.getInputStream().read()).isEqualTo(-1);
      send(other, 0, Nbd.CMD_READ, 0, 3, new byte[0]);
      assertThat(simpleReply(other)).isZero();
      assertThat(receive(other, 3).array()).containsExactly(1, 2, 3);
    }
  }

  @Test
  void answersThatTheClientHasNotTakenSurviveItsDisconnect() throws Exception {
    try (Socket s = bridge.oldClient();
        Socket other = bridge.oldClient()) {
      sendReads(s, 1, Nbd.MAX_PAYLOAD);
      send(s, 0, Nbd.CMD_DISC, 0, 0, new byte[0]);
      bridge.awaitNoMore(other);
      assertThat(simpleReply(s)).isZero();
      receive(s, Nbd.MAX_PAYLOAD);
      assertThat(s.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void allConnectionsTogetherTakeNoMoreThanTheirMemory() throws Exception {
    bridge.restart(new NbdLimits(2L * Nbd.MAX_PAYLOAD, 100, Duration.ofMinutes(10)));
    bridge.gate = new CompletableFuture<>();
    try (Socket a = bridge.oldClient();
        Socket b = bridge.oldClient();
        Socket c = bridge.oldClient();
        Socket other = bridge.oldClient()) {
      List<Socket> clients = List.of(a, b, c);
      for (Socket s : clients) {
        sendReads(s, 2, Nbd.MAX_PAYLOAD / 2);
      }
      while (bridge.begun.get() < 3) {
        bridge.oldClient().close();
      }
      for (int i = 0; i < 20; i++) {
        bridge.oldClient().close(); // the loop has taken by now what the others have sent
      }
      assertThat(bridge.begun.get()).as("reads of 16 MiB that were begun").isEqualTo(3);
      bridge.gate.complete(null);
      for (Socket s : clients) {
        for (int i = 0; i < 2; i++) {
          assertThat(simpleReply(s)).isZero();
          receive(s, Nbd.MAX_PAYLOAD / 2);
        }
      }
      send(other, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
      assertThat(simpleReply(other)).isZero();
    }
  }

  @Test
  void clientThatStandsStillLosesItsConnectionWhenOthersNeedItsMemory() throws Exception {
    bridge.restart(new NbdLimits(2L * Nbd.MAX_PAYLOAD, 100, Duration.ofMillis(200)));
    try (Socket cut = bridge.oldClient();
        Socket deaf = bridge.oldClient();
        Socket idle = bridge.oldClient();
        Socket s = bridge.oldClient()) {
      send(cut, 0, Nbd.CMD_WRITE, 0, Nbd.MAX_PAYLOAD, new byte[10]);
      sendReads(deaf, 1, Nbd.MAX_PAYLOAD - 4096);
      while (bridge.begun.get() < 1) {
        bridge.oldClient().close();
      }
      sendReads(s, 1, Nbd.MAX_PAYLOAD);
      assertThat(simpleReply(s)).isZero();
      receive(s, Nbd.MAX_PAYLOAD);
      assertThat(cut.getInputStream().read()).as("who sends half of a write").isEqualTo(-1);
      send(idle, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
      assertThat(simpleReply(idle)).as("who holds nothing").isZero();
    }
  }

  @Test
  void connectionBeyondTheMostIsClosed() throws Exception {
    bridge.restart(new NbdLimits(2L * Nbd.MAX_PAYLOAD, 2, Duration.ofMinutes(10)));
    try (Socket first = bridge.oldClient()) {
      try (Socket second = bridge.oldClient();
          Socket third = new Socket("127.0.0.1", bridge.port())) {
        assertThat(third.getInputStream().read()).isEqualTo(-1);
        send(second, 0, Nbd.CMD_DISC, 0, 0, new byte[0]);
        assertThat(second.getInputStream().read()).isEqualTo(-1);
      }
      try (Socket again = bridge.oldClient()) {
        send(again, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
        assertThat(simpleReply(again)).isZero();
      }
      send(first, 0, Nbd.CMD_FLUSH, 0, 0, new byte[0]);
      assertThat(simpleReply(first)).isZero();
    }
  }
}
