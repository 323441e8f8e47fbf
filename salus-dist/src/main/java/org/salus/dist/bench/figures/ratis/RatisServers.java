package org.salus.dist.bench.figures.ratis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.salus.common.ServerPorts;

/** The servers of Ratis on this machine, each in a process of its own, with directories below one. For one thread. */
public final class RatisServers implements AutoCloseable {
  /** A server that does not lead the group of {@link RatisBlocks.Reads#ANY} while all are well. */
  public static final int FOLLOWER = RatisGroups.SERVERS - 1;

  private static final String ADDRESS = "127.0.0.1";
  private static final String HEAP = "1g";

  private final Path dir;
  private final List<String> addresses = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  /** @param dir where they keep everything; made if it is not there */
  public RatisServers(Path dir) {
    this.dir = dir;
  }

  /** Starts all of them. */
  public void start() throws IOException {
    Files.createDirectories(dir);
    List<ServerSocket> free = new ArrayList<>();
    for (int i = 0; i < RatisGroups.SERVERS; i++) {
      free.add(ServerPorts.take(ADDRESS));
    }
    for (ServerSocket socket : free) {
      addresses.add(ADDRESS + ":" + socket.getLocalPort());
      socket.close();
    }
    for (int i = 0; i < RatisGroups.SERVERS; i++) {
      processes.add(launch(i));
    }
    for (int i = 0; i < RatisGroups.SERVERS; i++) {
      awaitReady(i);
    }
  }

  private Process launch(int server) throws IOException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx" + HEAP,
        "-XX:+UseSerialGC", "-XX:-UsePerfData", "-cp", System.getProperty("java.class.path"), RatisServer.class.getName(),
        dir.resolve("server" + server).toString(), Integer.toString(server)));
    command.addAll(addresses);
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log(server).toFile())).start();
  }

  private Path log(int server) {
    return dir.resolve("server" + server + ".log");
  }

  private void awaitReady(int server) throws IOException {
    BufferedReader out = new BufferedReader(new InputStreamReader(processes.get(server).getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    if (!RatisServer.READY.equals(line)) {
      throw new IOException("server " + server + " of Ratis does not start: " + (line == null ? Files.readString(log(server)) : line));
    }
  }

  /** {@code host:port} of each. */
  List<String> addresses() {
    return addresses;
  }

  /** Kills one; it runs no more when this returns. */
  public void kill(int server) {
    processes.get(server).destroyForcibly().onExit().join();
  }

  /** Starts one again that was killed; it has its files. */
  public void restart(int server) throws IOException {
    processes.set(server, launch(server));
    awaitReady(server);
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
    processes.forEach(p -> p.onExit().join());
  }
}
