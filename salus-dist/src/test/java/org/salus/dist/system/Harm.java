package org.salus.dist.system;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.salus.benchmarks.faulty.FaultSwitches;
import org.salus.benchmarks.faulty.ServerFault;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;

/** Something that is done to one server of a cluster for a while. */
interface Harm {
  /** The {@code server} of a harm to a process without replicas: the master. */
  int NO_SERVER = -1;

  /** The server it is done to, region server and DataNode, or {@link #NO_SERVER}. */
  int server();

  /** The time for which it lasts. */
  Duration time();

  /** The processes that must not be started again meanwhile. */
  List<DaemonProcess> held();

  void begin() throws IOException, InterruptedException;

  /** Whether it is being done; one that a server must read waits until the server runs. */
  default boolean hasBegun() {
    return true;
  }

  void end() throws IOException, InterruptedException;

  /** Draws one: a server dies or stands still, or its members do wrong. */
  static Harm any(ClusterDisk disk, FaultSwitches switches, Random random) {
    return random.nextInt(3) == 0 ? Wrong.any(disk, switches, random) : Processes.any(disk, random);
  }

  /**
   * Whether this may begin while others last, so that no more than two of three servers are faulty.
   * The disk of server 0 may have bad replicas for longer than any harm, so only one of the other
   * servers is harmed at a time.
   */
  default boolean goesWith(List<Harm> others) {
    return others.stream()
        .noneMatch(
            o ->
                server() == o.server()
                    || server() > 0 && o.server() > 0
                    || this instanceof Wrong && o instanceof Wrong);
  }

  private static Duration between(long shortestMillis, long longestMillis, Random random) {
    return Duration.ofMillis(shortestMillis + random.nextLong(longestMillis - shortestMillis));
  }

  /**
   * One pair of region server and DataNode, or a part of it, or the master.
   *
   * @param kill whether to kill them (kill -9); else they are made to stand still
   * @param time the time until they are started again or go on
   */
  record Processes(int server, List<DaemonProcess> victims, boolean kill, Duration time)
      implements Harm {
    static Processes any(ClusterDisk disk, Random random) {
      int i = random.nextInt(ClusterDisk.SERVERS);
      DaemonProcess server = disk.cluster().daemon(Daemon.REGIONSERVER, i);
      DaemonProcess dataNode = disk.cluster().daemon(Daemon.DATANODE, i);
      boolean kill = random.nextBoolean();
      Duration time = between(1_000, kill ? 4_000 : 20_000, random);
      return switch (random.nextInt(4)) {
        case 0 -> new Processes(i, List.of(server), kill, time);
        case 1 -> new Processes(i, List.of(dataNode), kill, time);
        case 2 -> new Processes(i, List.of(server, dataNode), kill, time);
        default ->
            new Processes(NO_SERVER, List.of(disk.cluster().daemon(Daemon.MASTER, -1)), kill, time);
      };
    }

    @Override
    public List<DaemonProcess> held() {
      return victims;
    }

    @Override
    public void begin() throws IOException, InterruptedException {
      signal(kill ? "KILL" : "STOP");
    }

    /**
     * Nothing to do for killed processes: they are started again like those that ended by
     * themselves.
     */
    @Override
    public void end() throws IOException, InterruptedException {
      if (!kill) {
        signal("CONT");
      }
    }

    private void signal(String signal) throws IOException, InterruptedException {
      for (DaemonProcess d : victims) {
        if (d.process().isPresent()) {
          Shell.run("kill", "-" + signal, Long.toString(d.process().get().pid()));
        }
      }
    }

    @Override
    public String toString() {
      String who = victims.stream().map(DaemonProcess::name).collect(Collectors.joining(" and "));
      return who
          + (kill ? " killed, started again after " : " stands still for ")
          + time.toMillis()
          + " ms";
    }
  }

  /** The members of one server do something wrong. */
  record Wrong(FaultSwitches switches, int server, String node, ServerFault fault, Duration time)
      implements Harm {
    /**
     * Leave bad replicas behind: two pairs with such, and a third that dies, would be more than is
     * promised.
     */
    private static final Set<ServerFault> LASTING =
        EnumSet.of(ServerFault.WRONG_LOG, ServerFault.WRONG_CHECKPOINTS, ServerFault.WITHHOLDS);

    static Wrong any(ClusterDisk disk, FaultSwitches switches, Random random) {
      ServerFault fault = ServerFault.values()[random.nextInt(ServerFault.values().length)];
      int server = LASTING.contains(fault) ? 0 : random.nextInt(ClusterDisk.SERVERS);
      return new Wrong(switches, server, disk.node(server), fault, between(3_000, 15_000, random));
    }

    @Override
    public List<DaemonProcess> held() {
      return List.of();
    }

    @Override
    public void begin() throws IOException {
      switches.switchOn(ClusterDisk.VOLUME, node, fault);
    }

    @Override
    public boolean hasBegun() {
      return switches.hasRead(ClusterDisk.VOLUME, node, fault);
    }

    @Override
    public void end() throws IOException {
      switches.clear(ClusterDisk.VOLUME);
    }

    @Override
    public String toString() {
      return "members of regionserver"
          + server
          + " are wrong for "
          + time.toMillis()
          + " ms: "
          + fault;
    }
  }
}
