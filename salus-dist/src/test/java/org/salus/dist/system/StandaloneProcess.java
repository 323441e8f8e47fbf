package org.salus.dist.system;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.salus.dist.cli.Salus;
import org.salus.dist.hbase.ClassArchive;
import org.salus.dist.hbase.LocalCluster;
import org.salus.host.ServerPorts;

/** {@code salus standalone} in a process of its own, which can be killed. */
final class StandaloneProcess implements AutoCloseable {
  private static final long STOP_SECONDS = 60;

  /** The first port that Linux gives to outgoing connections. */
  private static final int LOWEST_OF_SYSTEM = 32_768;

  private final Process process;
  private final String uri;

  private StandaloneProcess(Process process, String uri) {
    this.process = process;
    this.uri = uri;
  }

  /** Starts and returns when the volume can be used. */
  static StandaloneProcess start(Path data, String volume, String... more) throws IOException {
    return startWith("-Xmx1g", data, volume, more);
  }

  /** Same as {@link #start}, with a heap of this size. */
  static StandaloneProcess startWith(String heap, Path data, String volume, String... more)
      throws IOException {
    int port = freePort();
    List<String> command =
        java(
            heap,
            Salus.class.getName(),
            "standalone",
            "--data",
            data.toString(),
            "--volume",
            volume,
            "--nbd",
            "127.0.0.1:" + port);
    command.addAll(List.of(more));
    Path said = Files.createTempFile("standalone", ".err");
    said.toFile().deleteOnExit();
    Process process = new ProcessBuilder(command).redirectError(said.toFile()).start();
    String line = process.inputReader().readLine();
    String name = volume.substring(0, volume.indexOf(':'));
    String uri = "nbd://127.0.0.1:" + port + "/" + name;
    if (!("ready " + uri).equals(line)) {
      process.destroyForcibly();
      throw new IOException(
          "instead of being ready it says: " + line + "\n" + Files.readString(said));
    }
    return new StandaloneProcess(process, uri);
  }

  /**
   * A port of the loopback address on which nobody listens now. Neither the system nor a cluster
   * gives it to another process in the seconds until it is used.
   */
  static int freePort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(ServerPorts.END, LOWEST_OF_SYSTEM);
      if (ServerPorts.isFree("127.0.0.1", port)) {
        return port;
      }
    }
  }

  /** The command of a Java process with the daemons' classes and this process's. */
  static List<String> java(String heap, String... mainAndArguments) throws IOException {
    String classPath =
        LocalCluster.daemonClassPath() + File.pathSeparator + System.getProperty("java.class.path");
    ClassArchive.prepare(classPath, step -> {});
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                heap,
                "-ea:org.salus..."));
    command.addAll(ClassArchive.options(classPath));
    for (String open : List.of("java.lang", "java.nio", "sun.nio.ch", "jdk.internal.misc")) {
      command.addAll(List.of("--add-opens", "java.base/" + open + "=ALL-UNNAMED"));
    }
    command.addAll(
        List.of(
            "--add-exports",
            "java.base/jdk.internal.misc=ALL-UNNAMED",
            "-Dio.netty.tryReflectionSetAccessible=true",
            "-cp",
            classPath));
    command.addAll(List.of(mainAndArguments));
    return command;
  }

  String uri() {
    return uri;
  }

  /** Kills the process, as a power cut would: nothing is closed. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Asks the process to end. Fails when that takes too long. */
  void stop() throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("it does not stop within " + STOP_SECONDS + " s");
    }
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
