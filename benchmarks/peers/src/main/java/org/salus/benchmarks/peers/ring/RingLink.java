package org.salus.benchmarks.peers.ring;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.function.Consumer;
import org.salus.host.DaemonThreads;

/** A connection with one thread to send and another to receive. Thread-safe. */
final class RingLink implements AutoCloseable {
  private static final int BUFFER = 64 << 10;

  private final Socket socket;
  private final Source source;
  private final Consumer<RingMessage> received;
  private final Consumer<IOException> broken;
  private final Thread sender;

  /** The source of messages to send. */
  interface Source {
    /** Waits for the next message. */
    RingMessage take() throws InterruptedException;

    /** The next message, or null if there is none. */
    RingMessage poll();
  }

  private RingLink(
      Socket socket, Source source, Consumer<RingMessage> received, Consumer<IOException> broken) {
    this.socket = socket;
    this.source = source;
    this.received = received;
    this.broken = broken;
    this.sender = thread(this::send);
  }

  /**
   * A link whose threads run.
   *
   * @param received takes each message, on one thread
   * @param broken is told when the connection ends for whatever reason
   */
  static RingLink start(
      Socket socket, Source source, Consumer<RingMessage> received, Consumer<IOException> broken)
      throws IOException {
    socket.setTcpNoDelay(true);
    RingLink made = new RingLink(socket, source, received, broken);
    made.sender.start();
    made.thread(made::receive).start();
    return made;
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
                // Close interrupted the wait for a message.
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
      // Nothing can be done about it.
    }
  }
}
