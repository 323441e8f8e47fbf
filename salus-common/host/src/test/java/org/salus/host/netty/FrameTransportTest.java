package org.salus.host.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.salus.host.FaultHandler;

@Timeout(60)
class FrameTransportTest {
  private static final FrameOptions FAST =
      new FrameOptions(
          64 << 20,
          Duration.ofMillis(100),
          Duration.ofMillis(4000),
          Duration.ofSeconds(3),
          80 << 20,
          8,
          12,
          40 << 20);

  private record Frame(FrameConnection from, ByteBuffer head, ByteBuffer payload) {}

  /** Collects what arrives; on the server's side it can echo. */
  private static final class Collector implements FrameHandler {
    final BlockingQueue<Frame> frames = new LinkedBlockingQueue<>();
    final BlockingQueue<FrameConnection> opened = new LinkedBlockingQueue<>();
    final CountDownLatch closed = new CountDownLatch(1);
    boolean echo;

    @Override
    public void onOpen(FrameConnection connection) {
      opened.add(connection);
    }

    @Override
    public void onFrame(FrameConnection connection, ByteBuffer head, ByteBuffer payload) {
      frames.add(new Frame(connection, head, payload));
      if (echo) {
        connection.send(head, payload, null);
      }
    }

    @Override
    public void onClosed(FrameConnection connection) {
      closed.countDown();
    }

    Frame take() throws InterruptedException {
      Frame frame = frames.poll(20, TimeUnit.SECONDS);
      assertThat(frame).isNotNull();
      return frame;
    }
  }

  private final BlockingQueue<Throwable> bugs = new LinkedBlockingQueue<>();
  private final Collector atServer = new Collector();
  private final Collector atClient = new Collector();
  private Loops loops;
  private FrameServer server;

  /** The loops under test. */
  Loops loops(FaultHandler faults) {
    return new Loops("test", 2, faults);
  }

  @BeforeEach
  void start() throws IOException {
    loops = loops((what, bug) -> bugs.add(bug));
    server = FrameServer.start(loops, "127.0.0.1", 0, atServer, FAST);
  }

  @AfterEach
  void stop() {
    server.close();
    loops.close();
    assertThat(bugs).isEmpty();
  }

  private FrameConnection connect() throws Exception {
    InetSocketAddress address = InetSocketAddress.createUnresolved("127.0.0.1", server.port());
    return new FrameConnector(loops, FAST)
        .connect(loops.loop(0), address, atClient)
        .get(10, TimeUnit.SECONDS);
  }

  private static ByteBuffer text(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void bigDirectPayloadComesBackIdentical() throws Exception {
    atServer.echo = true;
    long seed = System.nanoTime();
    byte[] bytes = new byte[40 << 20];
    new Random(seed).nextBytes(bytes);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    CountDownLatch written = new CountDownLatch(1);
    FrameConnection connection = connect();
    connection.send(text("big"), direct, written::countDown);
    Frame back = atClient.take();
    assertThat(back.head()).isEqualTo(text("big"));
    assertThat(back.payload().equals(direct)).as("seed %d", seed).isTrue();
    assertThat(written.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(connection.queuedBytes()).isZero();
  }

  @Test
  void framesOfOneThreadKeepTheirOrder() throws Exception {
    FrameConnection connection = connect();
    int count = 20_000;
    for (int i = 0; i < count; i++) {
      connection.send(ByteBuffer.allocate(4).putInt(0, i), ByteBuffer.allocate(i % 300), null);
    }
    for (int i = 0; i < count; i++) {
      Frame frame = atServer.take();
      assertThat(frame.head().getInt(0)).isEqualTo(i);
      assertThat(frame.payload().remaining()).isEqualTo(i % 300);
    }
  }

  @Test
  void wrongLengthClosesTheConnection() throws Exception {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(atServer.closed.await(10, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(loops.stats().wrongLength()).isEqualTo(1);
    assertThat(atServer.frames).isEmpty();
  }

  @Test
  void damagedPayloadIsDroppedAndCounted() throws Exception {
    OutboundFrame frame = new OutboundFrame(text("head"), text("payload"), null);
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.write(frame.header.array());
      out.write("headpaYload".getBytes(StandardCharsets.US_ASCII));
      assertThat(atServer.closed.await(10, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(loops.stats().damaged()).isEqualTo(1);
    assertThat(atServer.frames).isEmpty();
  }

  @Test
  void halfOpenPeerIsClosedAndQuietLivingPeerIsNot() throws Exception {
    FrameConnection living = connect();
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket.getOutputStream().write(new byte[5]);
      assertThat(atServer.closed.await(10, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(loops.stats().silent()).isEqualTo(1);
    assertThat(living.isOpen()).isTrue();
  }

  /** Whoever sends only a header, of however large a frame, gets little memory for it. */
  @Test
  void bufferGrowsWithTheBytesThatHaveCome() throws Exception {
    int length = 60 << 20;
    OutboundFrame frame =
        new OutboundFrame(ByteBuffer.allocate(0), ByteBuffer.allocate(length), null);
    FrameReader reader = new FrameReader(64 << 20, new Unfinished(64 << 20), () -> {});
    assertThat(reader.read(Unpooled.wrappedBuffer(frame.header.duplicate()))).isFalse();
    assertThat(reader.payload().capacity()).isEqualTo(FrameReader.FIRST);
    ByteBuf chunk = Unpooled.wrappedBuffer(new byte[1 << 20]);
    for (int sent = 1 << 20; sent < length; sent += 1 << 20) {
      assertThat(reader.read(chunk.duplicate())).isFalse();
      assertThat(reader.payload().capacity()).isLessThanOrEqualTo(4 * sent);
    }
    assertThat(reader.read(chunk.duplicate())).isTrue();
    assertThat(reader.payload().remaining()).isEqualTo(length);
  }

  @Test
  void framesThatNeverEndTakeABoundedPartOfMemory() throws Exception {
    int length = 24 << 20;
    OutboundFrame frame =
        new OutboundFrame(ByteBuffer.allocate(0), ByteBuffer.allocate(length), null);
    try (Socket hoards = new Socket("127.0.0.1", server.port())) {
      hoards.getOutputStream().write(frame.header.array());
      send(hoards, new byte[length - 1]);
      atServer.echo = true;
      for (int i = 0; i < 3; i++) {
        connect().send(text("long"), ByteBuffer.allocate(length), null);
        assertThat(atClient.take().payload().remaining()).as("others go on").isEqualTo(length);
      }
      assertThat(hoards.getInputStream().readAllBytes())
          .as("who is slow goes; heartbeats came before")
          .hasSizeLessThan(1 << 20);
    }
    assertThat(loops.stats().silent()).isZero();
  }

  private static void send(Socket socket, byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException closed) {
      // by the server, which has enough
    }
  }

  /** A node takes each connection only to close it: whoever sends does not connect all the time. */
  @Test
  void pausesGrowWhileANodeClosesEachConnection() throws Exception {
    Peers.Retry retry = new Peers.Retry(8, Duration.ofMillis(50), Duration.ofSeconds(10), 1 << 20);
    try (ServerSocket refusing = new ServerSocket(0);
        Peers peers =
            new Peers(
                loops,
                node -> new InetSocketAddress("127.0.0.1", refusing.getLocalPort()),
                atClient,
                FAST,
                retry)) {
      long began = System.nanoTime();
      Loop.Timer sends =
          loops
              .loop(1)
              .scheduleEvery(
                  Duration.ofMillis(5), () -> peers.send("node", text("again"), null, null));
      for (int i = 0; i < 6; i++) {
        refusing.accept().close();
      }
      sends.cancel();
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .as("50, 100, 200, 400 and 800 ms between six connects")
          .isGreaterThan(Duration.ofMillis(1550));
    }
  }

  /** A peer asks and never reads: the answers are bounded, and the connection ends. */
  @Test
  void answersThatNobodyReadsAreBoundedAndEndTheConnection() throws Exception {
    AtomicInteger returned = new AtomicInteger();
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      FrameConnection accepted = atServer.opened.poll(10, TimeUnit.SECONDS);
      int sent = 0;
      while (loops.stats().dropped() < 10) {
        accepted.send(text("answer"), ByteBuffer.allocate(1 << 20), returned::incrementAndGet);
        assertThat(accepted.queuedBytes()).isLessThanOrEqualTo(FAST.maxQueued());
        assertThat(++sent).isLessThan(1000);
      }
      OutboundFrame heartbeat = new OutboundFrame(ByteBuffer.allocate(0), null, null);
      while (!atServer.closed.await(FAST.heartbeat().toMillis(), TimeUnit.MILLISECONDS)) {
        try {
          socket.getOutputStream().write(heartbeat.header.array());
        } catch (IOException closed) {
          assertThat(atServer.closed.await(10, TimeUnit.SECONDS)).isTrue();
        }
      }
      assertThat(returned).as("every buffer is given back").hasValue(sent);
      assertThat(accepted.queuedBytes()).isZero();
    }
    assertThat(loops.stats().silent()).isEqualTo(1);
  }

  @Test
  void oneAddressCannotTakeAllConnections() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < FAST.maxAccepted(); i++) {
      sockets.add(new Socket("127.0.0.1", server.port()));
      assertThat(atServer.opened.poll(10, TimeUnit.SECONDS)).isNotNull();
    }
    try (Socket another = new Socket("127.0.0.1", server.port())) {
      assertThat(another.getInputStream().read()).isEqualTo(-1);
    }
    assertThat(loops.stats().refused()).isEqualTo(1);
    try (Socket elsewhere = new Socket()) {
      elsewhere.bind(new InetSocketAddress("127.0.0.2", 0));
      elsewhere.connect(new InetSocketAddress("127.0.0.1", server.port()));
      assertThat(atServer.opened.poll(10, TimeUnit.SECONDS)).isNotNull();
    }
    for (Socket s : sockets) {
      s.close();
    }
    assertThat(atServer.closed.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void allAddressesTogetherTakeABoundedNumberOfConnections() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < FAST.maxTotal(); i++) {
      sockets.add(connect(i % 3));
      assertThat(atServer.opened.poll(10, TimeUnit.SECONDS)).isNotNull();
    }
    try (Socket another = connect(0)) {
      assertThat(another.getInputStream().read()).as("an address that has most").isEqualTo(-1);
    }
    assertThat(loops.stats().refused()).isEqualTo(1);
    sockets.add(connect(3));
    assertThat(atServer.opened.poll(10, TimeUnit.SECONDS)).as("a new address").isNotNull();
    assertThat(atServer.closed.await(10, TimeUnit.SECONDS)).as("another one's place").isTrue();
    for (Socket s : sockets) {
      s.close();
    }
  }

  /** Connects from one of several addresses. */
  private Socket connect(int from) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress("127.0.0." + (2 + from), 0));
    socket.connect(new InetSocketAddress("127.0.0.1", server.port()));
    return socket;
  }

  @Test
  void pausedConnectionDeliversNothingUntilResumed() throws Exception {
    FrameConnection client = connect();
    FrameConnection accepted = atServer.opened.poll(10, TimeUnit.SECONDS);
    CountDownLatch paused = new CountDownLatch(1);
    accepted.pauseReading();
    accepted.loop().execute(paused::countDown);
    paused.await();
    CountDownLatch written = new CountDownLatch(1);
    client.send(text("later"), null, written::countDown);
    assertThat(written.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(atServer.frames.poll(300, TimeUnit.MILLISECONDS)).isNull();
    accepted.resumeReading();
    assertThat(atServer.take().head()).isEqualTo(text("later"));
  }

  @Test
  void peersDeliverWhatWasSentBeforeTheNodeListened() throws Exception {
    int port = server.port();
    server.close();
    Peers.Retry patient =
        new Peers.Retry(50, Duration.ofMillis(20), Duration.ofMillis(100), 1 << 20);
    try (Peers peers =
        new Peers(
            loops, node -> new InetSocketAddress("127.0.0.1", port), atClient, FAST, patient)) {
      for (int i = 0; i < 100; i++) {
        peers.send("node", ByteBuffer.allocate(4).putInt(0, i), null, null);
      }
      server = FrameServer.start(loops, "127.0.0.1", port, atServer, FAST);
      for (int i = 0; i < 100; i++) {
        assertThat(atServer.take().head().getInt(0)).isEqualTo(i);
      }
    }
  }

  @Test
  void peersDropWhatAnUnreachableNodeCannotTake() throws Exception {
    Peers.Retry hasty = new Peers.Retry(2, Duration.ofMillis(10), Duration.ofMillis(10), 1000);
    CountDownLatch returned = new CountDownLatch(3);
    try (Peers peers = new Peers(loops, node -> null, atClient, FAST, hasty)) {
      for (int i = 0; i < 3; i++) {
        peers.send("nowhere", ByteBuffer.allocate(400), null, returned::countDown);
      }
      assertThat(returned.await(10, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(loops.stats().dropped()).isEqualTo(3);
  }
}
