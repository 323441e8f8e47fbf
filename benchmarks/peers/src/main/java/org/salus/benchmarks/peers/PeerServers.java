package org.salus.benchmarks.peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.salus.host.ServerPorts;

/**
 * The servers of a peer, each in a process of its own. A server's arguments are its directory, its
 * number, and the addresses of all. It prints {@link #READY} when it serves, and ends when its
 * input ends. For one thread.
 */
public final class PeerServers implements AutoCloseable {
  /** What a server prints when it serves. */
  public static final String READY = "ready";

  private static final String ADDRESS = "127.0.0.1";

  private final Path dir;
  private final Class<?> main;
  private final String heap;
  private final List<ServerPlace> places;
  private final List<Process> processes = new ArrayList<>();

  /**
   * Where a server runs.
   *
   * @param on a command that runs the rest of its line there and becomes that process; empty for
   *     this machine
   * @param address {@code host:port}
   */
  public record ServerPlace(List<String> on, String address) {}

  /**
   * @param dir directory of all their files; made if it does not exist
   * @param main main class of a server
   * @param heap as {@code -Xmx} takes it
   */
  public PeerServers(Path dir, Class<?> main, String heap, List<ServerPlace> places) {
    this.dir = dir;
    this.main = main;
    this.heap = heap;
    this.places = List.copyOf(places);
  }

  /** As {@link #PeerServers(Path, Class, String, List)}, on this machine and free ports. */
  public static PeerServers here(Path dir, Class<?> main, String heap, int count)
      throws IOException {
    List<ServerSocket> free = new ArrayList<>();
    List<ServerPlace> places = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      free.add(ServerPorts.OTHERS.take(ADDRESS));
      places.add(new ServerPlace(List.of(), ADDRESS + ":" + free.get(i).getLocalPort()));
    }
    for (ServerSocket socket : free) {
      socket.close();
    }
    return new PeerServers(dir, main, heap, places);
  }

  /** Starts all of them. */
  public void start() throws IOException {
    Files.createDirectories(dir);
    for (int i = 0; i < places.size(); i++) {
      processes.add(launch(i));
    }
    for (int i = 0; i < places.size(); i++) {
      awaitReady(i);
    }
  }

  private Process launch(int server) throws IOException {
    List<String> command = new ArrayList<>(places.get(server).on);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx" + heap,
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName(),
            dir.resolve("server" + server).toString(),
            Integer.toString(server)));
    command.addAll(addresses());
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.appendTo(log(server).toFile()))
        .start();
  }

  private Path log(int server) {
    return dir.resolve("server" + server + ".log");
  }

  private void awaitReady(int server) throws IOException {
    BufferedReader out =
        new BufferedReader(
            new InputStreamReader(processes.get(server).getInputStream(), StandardCharsets.UTF_8));
    String line = out.readLine();
    if (!READY.equals(line)) {
      throw new IOException(
          main.getSimpleName()
              + " "
              + server
              + " does not start: "
              + (line == null ? Files.readString(log(server)) : line));
    }
  }

  /** {@code host:port} of each. */
  public List<String> addresses() {
    return places.stream().map(ServerPlace::address).toList();
  }

  /** Kills a server, and returns when it has ended. */
  public void kill(int server) {
    processes.get(server).destroyForcibly().onExit().join();
  }

  /** Starts a killed server again, on its files. */
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
