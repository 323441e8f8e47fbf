package org.salus.benchmarks.figures.nbd;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.salus.host.ServerPorts;

/**
 * A plain file that qemu-nbd serves on loopback. It shows what the same disk does without Salus.
 */
public final class QemuNbd implements AutoCloseable {
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long POLL_MILLIS = 20;

  private final Process process;
  private final NbdUri uri;
  private final Path file;

  private QemuNbd(Process process, NbdUri uri, Path file) {
    this.process = process;
    this.uri = uri;
    this.file = file;
  }

  /** Whether the machine has qemu-nbd. */
  public static boolean isInstalled() throws InterruptedException {
    try {
      return new ProcessBuilder("qemu-nbd", "--version")
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException missing) {
      return false;
    }
  }

  /** Serves a new file of {@code size} bytes. Returns once it accepts connections. */
  public static QemuNbd start(Path dir, long size) throws IOException, InterruptedException {
    Path file = dir.resolve("qemu-nbd.raw");
    try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
      made.setLength(size);
    }
    int port = freePort();
    Path log = dir.resolve("qemu-nbd.log");
    // qemu-nbd uses the kernel's page cache and stays when a client leaves.
    Process process =
        new ProcessBuilder(
                "qemu-nbd",
                "--format=raw",
                "--cache=writeback",
                "--persistent",
                "--bind=127.0.0.1",
                "--port=" + port,
                "--export-name=file",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    QemuNbd server = new QemuNbd(process, NbdUri.parse("nbd://127.0.0.1:" + port + "/file"), file);
    try {
      server.awaitReady(log);
      return server;
    } catch (IOException | InterruptedException failed) {
      server.close();
      throw failed;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = ServerPorts.OTHERS.take("127.0.0.1")) {
      return socket.getLocalPort();
    }
  }

  private void awaitReady(Path log) throws IOException, InterruptedException {
    long end = System.nanoTime() + START_NANOS;
    while (true) {
      try {
        uri.size();
        return;
      } catch (IOException notYet) {
        if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS) || System.nanoTime() > end) {
          throw new IOException(
              "qemu-nbd does not serve: " + Files.readString(log).strip(), notYet);
        }
      }
    }
  }

  public NbdUri uri() {
    return uri;
  }

  /** Ends the server and deletes its file. */
  @Override
  public void close() throws IOException {
    process.destroy();
    process.onExit().join();
    Files.deleteIfExists(file);
  }
}
