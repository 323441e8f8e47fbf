package org.salus.benchmarks.peers.ring;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.peers.PeerServers;
import org.salus.host.DaemonThreads;

/** One server of a ring, as a process that ends with its parent process. */
final class RingServer {
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The node. Its lock guards all state of the server. */
  private final RingNode node;

  private RingServer(RingNode node) {
    this.node = node;
  }

  /**
   * @param args a file for the blocks, the server's number, and the addresses of all servers
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    int self = Integer.parseInt(args[1]);
    List<InetSocketAddress> ring =
        List.of(args).subList(2, args.length).stream().map(RingServer::address).toList();
    FileChannel file =
        FileChannel.open(
            Path.of(args[0]),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    RingServer server = new RingServer(new RingNode(self, ring.size(), new FileBlocks(file)));
    ServerSocket listening = new ServerSocket();
    listening.bind(ring.get(self));
    daemon("ring-accept", () -> server.accept(listening));
    if (ring.size() == 1) {
      daemon("ring-alone", server::goAround);
    } else {
      RingLink.start(
          connect(ring.get((self + 1) % ring.size())),
          server.new ToNext(),
          server::receive,
          RingServer::fail);
    }
    System.out.println(PeerServers.READY);
    System.in.transferTo(OutputStream.nullOutputStream());
  }

  static InetSocketAddress address(String hostPort) {
    int colon = hostPort.lastIndexOf(':');
    return new InetSocketAddress(
        hostPort.substring(0, colon), Integer.parseInt(hostPort.substring(colon + 1)));
  }

  private interface Loop {
    void run() throws IOException, InterruptedException;
  }

  private static void daemon(String name, Loop loop) {
    DaemonThreads.start(
        name,
        () -> {
          try {
            loop.run();
          } catch (IOException | InterruptedException failed) {
            fail(failed);
          }
        });
  }

  /** Ends the process, because the ring needs every server. */
  private static void fail(Exception why) {
    why.printStackTrace();
    Runtime.getRuntime().halt(1);
  }

  /** Connects, with retries, because the others start at the same time. */
  private static Socket connect(InetSocketAddress to) throws IOException {
    long end = System.nanoTime() + START_NANOS;
    while (true) {
      Socket socket = new Socket();
      try {
        socket.connect(to);
        return socket;
      } catch (IOException notYet) {
        socket.close();
        if (System.nanoTime() > end) {
          throw notYet;
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  /** Accepts connections from clients and from the predecessor. */
  private void accept(ServerSocket listening) throws IOException {
    while (true) {
      LinkQueue answers = new LinkQueue();
      RingLink.start(listening.accept(), answers, m -> receive(m, answers), gone -> {});
    }
  }

  private void receive(RingMessage m) {
    throw new IllegalStateException("the next server sent " + m.kind());
  }

  private void receive(RingMessage m, LinkQueue answers) {
    synchronized (node) {
      switch (m.kind()) {
        case ASK_READ -> node.read(m.block(), content -> answers.add(m.found(content)));
        case ASK_WRITE -> node.write(m.block(), m.content(), () -> answers.add(m.written()));
        default -> node.receive(m);
      }
      node.notifyAll();
    }
  }

  /** Passes messages to the server itself, which is its own successor in a ring of one. */
  private void goAround() throws InterruptedException {
    ToNext next = new ToNext();
    while (true) {
      RingMessage m = next.take();
      synchronized (node) {
        node.receive(m);
      }
    }
  }

  private final class ToNext implements RingLink.Source {
    @Override
    public RingMessage take() throws InterruptedException {
      synchronized (node) {
        RingMessage m;
        while ((m = node.next()) == null) {
          node.wait();
        }
        return m;
      }
    }

    @Override
    public RingMessage poll() {
      synchronized (node) {
        return node.next();
      }
    }
  }

  /** Blocks in a file, written at least to the page cache. */
  private record FileBlocks(FileChannel file) implements RingNode.Blocks {
    @Override
    public byte[] read(int block) {
      ByteBuffer content = ByteBuffer.allocate(BlockStoreUnderTest.BLOCK);
      try {
        while (content.hasRemaining()
            && file.read(content, position(block) + content.position()) > 0) {
          // The rest.
        }
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
      return content.array();
    }

    @Override
    public void write(int block, byte[] content) {
      ByteBuffer rest = ByteBuffer.wrap(content);
      try {
        while (rest.hasRemaining()) {
          file.write(rest, position(block) + rest.position());
        }
      } catch (IOException failed) {
        throw new UncheckedIOException(failed);
      }
    }

    private static long position(int block) {
      return (long) block * BlockStoreUnderTest.BLOCK;
    }
  }
}
