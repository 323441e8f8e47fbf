package org.salus.benchmarks.peers.ring;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.function.Consumer;
import org.salus.host.DaemonThreads;

/** A connection, with a thread for what is sent and another for what comes. Thread-safe. */
final class RingLink implements AutoCloseable {
  private static final int BUFFER = 64 << 10;

  private final Socket socket;
  private final Source source;
  private final Consumer<RingMessage> received;
  private final Consumer<IOException> broken;
  private final Thread sender;

  /** Where what is to be sent comes from. */
  interface Source {
    /** Waits until there is something. */
    RingMessage take() throws InterruptedException;

    /** Null when there is nothing. */
    RingMessage poll();
  }

  /**
   * Starts to work.
   *
   * @param received told by one thread
   * @param broken told when it ends, however
   */
  RingLink(
      Socket socket, Source source, Consumer<RingMessage> received, Consumer<IOException> broken)
      throws IOException {
    this.socket = socket;
    this.source = source;
    this.received = received;
    this.broken = broken;
    socket.setTcpNoDelay(true);
    this.sender = thread(this::send);
    sender.start();
    thread(this::receive).start();
  }

  private interface Loop {
    void run() throws IOException, InterruptedException;
  }

  private Thread thread(Loop loop) {
    Thread thread =
        DaemonThreads.create(
            "ring-link",
            () -> {
              try {
                loop.run();
              } catch (IOException failed) {
                close();
                broken.accept(failed);
              } catch (InterruptedException closed) {
                // By close, while there was nothing to send.
              }
            });
    return thread;
  }

  private void send() throws IOException, InterruptedException {
    DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER));
    while (true) {
      for (RingMessage m = source.take(); m != null; m = source.poll()) {
        m.writeTo(out);
      }
      out.flush();
    }
  }

  private void receive() throws IOException {
    DataInputStream in =
        new DataInputStream(new BufferedInputStream(socket.getInputStream(), BUFFER));
    while (true) {
      received.accept(RingMessage.readFrom(in));
    }
  }

  @Override
  public void close() {
    sender.interrupt();
    try {
      socket.close();
    } catch (IOException gone) {
      // Nothing is left that could be done about it.
    }
  }
}
