package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.effect.MemberEffect;
import org.salus.core.event.ForwardingMember;
import org.salus.core.event.MemberEvents;
import org.salus.core.message.ForgedException;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Hello;
import org.salus.core.message.Message.InventoryQuery;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.wire.MalformedException;
import org.salus.host.Seals;
import org.salus.host.netty.FrameConnection;
import org.salus.host.netty.FrameConnector;
import org.salus.host.netty.FrameHandler;
import org.salus.host.netty.FrameOptions;
import org.salus.host.netty.FrameServer;
import org.salus.host.netty.Loops;

/** What one connection can make a server hold is bounded, and takes nothing from others. */
@Timeout(60)
class InboxTest {
  private static final Seals SEALS = new Seals(new byte[0]);
  private static final Endpoint.Member MEMBER = new Endpoint.Member(new RegionId(9, 0), 0);

  private final Queue<Consumer<Message>> asked = new ConcurrentLinkedQueue<>();
  private final Inbox inbox =
      new Inbox(
          (host, from, about, question, answer) -> {
            assertThat(host.isLoopbackAddress()).isTrue();
            asked.add(answer);
            return true;
          },
          SEALS);
  private final List<Throwable> bugs = Collections.synchronizedList(new ArrayList<>());
  private Loops loops;
  private FrameServer server;

  /** Collects the sessions to which answers came. */
  private static final class Client implements FrameHandler {
    final BlockingQueue<Endpoint> answered = new LinkedBlockingQueue<>();
    FrameConnection connection;

    @Override
    public void onFrame(FrameConnection from, ByteBuffer head, ByteBuffer payload) {
      try {
        answered.add(SEALS.open(head).to());
      } catch (MalformedException | ForgedException garbage) {
        throw new AssertionError(garbage);
      }
    }

    void send(Endpoint from, Message message) {
      connection.send(SEALS.head(from, MEMBER, message), null, null);
    }

    void awaitAnswer(Endpoint to) throws InterruptedException {
      assertThat(answered.poll(20, TimeUnit.SECONDS)).isEqualTo(to);
    }
  }

  @BeforeEach
  void start() throws Exception {
    loops = new Loops("test", 2, (what, bug) -> bugs.add(bug));
    server = FrameServer.start(loops, "127.0.0.1", 0, inbox, FrameOptions.DEFAULT);
  }

  @AfterEach
  void stop() {
    server.close();
    loops.close();
    assertThat(bugs).isEmpty();
  }

  private Client connect() throws Exception {
    Client client = new Client();
    client.connection =
        new FrameConnector(loops, FrameOptions.DEFAULT)
            .connect(loops.loop(0), new InetSocketAddress("127.0.0.1", server.port()), client)
            .get(10, TimeUnit.SECONDS);
    return client;
  }

  private static Endpoint.Session session(long mountEpoch) {
    return new Endpoint.Session(9, mountEpoch);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(5);
    }
  }

  @Test
  void aConnectionThatNamesSessionsWithoutEndKeepsOnlyItsNewest() throws Exception {
    Client right = connect();
    Client wrong = connect();
    Endpoint.Session own = session(1);
    right.send(own, new Hello());
    await(() -> inbox.sessions() == 1);
    int flood = 2 * Intake.MOST_SESSIONS;
    for (int i = 0; i < flood; i++) {
      wrong.send(session(100 + i), new Hello());
    }
    wrong.send(session(99), new InventoryQuery());
    await(() -> !asked.isEmpty());
    assertThat(inbox.sessions()).isEqualTo(1 + Intake.MOST_SESSIONS);
    inbox.answer(MEMBER, own, new Hello(), null);
    right.awaitAnswer(own);
    inbox.answer(MEMBER, session(100), new Hello(), null);
    inbox.answer(MEMBER, session(99 + flood), new Hello(), null);
    wrong.awaitAnswer(session(99 + flood));
    wrong.connection.close();
    await(() -> inbox.sessions() == 1);
  }

  @Test
  void onlyASealedMessageMovesTheAnswersToAnotherConnection() throws Exception {
    Client right = connect();
    Client wrong = connect();
    Endpoint.Session own = session(1);
    right.send(own, new Hello());
    await(() -> inbox.sessions() == 1);
    wrong.send(own, new InventoryQuery());
    await(() -> !asked.isEmpty());
    inbox.answer(MEMBER, own, new Hello(), null);
    right.awaitAnswer(own);
    Client again = connect();
    again.send(own, new Hello());
    again.send(own, new InventoryQuery());
    await(() -> asked.size() == 2);
    inbox.answer(MEMBER, own, new Hello(), null);
    again.awaitAnswer(own);
  }

  @Test
  void aConnectionThatAsksWithoutEndLeavesRoomForOthers() throws Exception {
    Client right = connect();
    Client wrong = connect();
    for (int i = 0; i < 5 * Intake.MOST_QUESTIONS; i++) {
      wrong.send(session(i), new InventoryQuery());
    }
    await(() -> asked.size() == Intake.MOST_QUESTIONS);
    await(() -> inbox.sessions() == 5 * Intake.MOST_QUESTIONS); // all are read, most are refused
    right.send(session(9999), new InventoryQuery());
    await(() -> asked.size() == Intake.MOST_QUESTIONS + 1);
    asked.forEach(answer -> answer.accept(new Hello()));
    right.awaitAnswer(session(9999));
    asked.clear();
    for (int i = 0; i < Intake.MOST_QUESTIONS; i++) {
      wrong.awaitAnswer(session(i));
    }
    wrong.send(session(5), new InventoryQuery());
    await(() -> asked.size() == 1);
  }

  private static void put(Client client, ByteBuffer payload) throws InterruptedException {
    CountDownLatch written = new CountDownLatch(1);
    client.connection.send(
        SEALS.head(session(1), MEMBER, new PutRequest(1, new byte[1], 0, new byte[1])),
        payload.duplicate(),
        written::countDown);
    assertThat(written.await(20, TimeUnit.SECONDS)).isTrue();
  }

  /** The member's loop stands still. */
  @Test
  void aConnectionThatFloodsAMemberHoldsABoundedNumberOfBytes() throws Exception {
    Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    MemberHost.Pools pools = new MemberHost.Pools(Runnable::run, Runnable::run, level -> null);
    MemberEvents takesAll =
        new ForwardingMember(null) {
          @Override
          public List<MemberEffect> onMessage(
              Endpoint from, Message m, ByteBuffer payload, long now) {
            return List.of();
          }
        };
    MemberHost member =
        new MemberHost(
            takesAll,
            MEMBER,
            4096,
            null,
            null,
            new MemberHost.Threads(waiting::add, Runnable::run, pools),
            new MemberHostTest.Nobody(),
            TestMeters.of(MEMBER.region()));
    inbox.add(MEMBER, member);
    ByteBuffer payload = ByteBuffer.allocate(4 << 20);
    long messages = Intake.MOST_BYTES / payload.capacity();
    Client right = connect();
    Client wrong = connect();
    for (int i = 0; i < 2 * messages; i++) {
      put(wrong, payload);
    }
    wrong.send(session(1), new InventoryQuery()); // comes after all of them
    await(() -> !asked.isEmpty());
    assertThat(waiting).hasSize((int) messages - 1); // each costs a little more than its payload
    put(right, payload);
    await(() -> waiting.size() == messages);
    while (!waiting.isEmpty()) {
      waiting.poll().run();
    }
    put(wrong, payload);
    await(() -> waiting.size() == 1);
  }

  @Test
  void bytesThatMembersHaveNotTakenAreBounded() {
    Intake intake = new Intake();
    int held = 0;
    while (intake.mayHold(1 << 20)) {
      held++;
    }
    assertThat((long) held << 20).isEqualTo(Intake.MOST_BYTES);
    intake.taken(1 << 20);
    assertThat(intake.mayHold(1 << 20)).isTrue();
    assertThat(intake.mayHold(1)).isFalse();
  }
}
