package org.salus.dist.system;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.salus.dist.cluster.Daemon;
import org.salus.dist.cluster.DaemonProcess;
import org.salus.dist.faults.FaultSwitches;
import org.salus.faulty.Fault;

/** Something that is done to a cluster for a while, and no more than the promise covers. */
interface Harm {

  /** Returns when the cluster can be made whole again. */
  void inflict() throws IOException, InterruptedException;

  /** Draws one: a server dies or stands still, or its members do wrong. */
  static Harm any(ClusterDisk disk, FaultSwitches switches, Random random) {
    return random.nextInt(3) == 0 ? Wrong.any(disk, switches, random) : Processes.any(disk, random);
  }

  private static void hold(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  private static Duration between(long shortestMillis, long longestMillis, Random random) {
    return Duration.ofMillis(shortestMillis + random.nextLong(longestMillis - shortestMillis));
  }

  /**
   * One pair of region server and DataNode, or a part of it, or the master.
   *
   * @param kill by kill -9; else they are made to stand still
   * @param time until they are started again, or go on
   */
  record Processes(List<DaemonProcess> victims, boolean kill, Duration time) implements Harm {
    static Processes any(ClusterDisk disk, Random random) {
      int i = random.nextInt(ClusterDisk.SERVERS);
      DaemonProcess server = disk.cluster().daemon(Daemon.REGIONSERVER, i);
      DaemonProcess dataNode = disk.cluster().daemon(Daemon.DATANODE, i);
      List<DaemonProcess> victims = new ArrayList<>();
      switch (random.nextInt(4)) {
        case 0 -> victims.add(server);
        case 1 -> victims.add(dataNode);
        case 2 -> victims.addAll(List.of(server, dataNode));
        default -> victims.add(disk.cluster().daemon(Daemon.MASTER, -1));
      }
      boolean kill = random.nextBoolean();
      return new Processes(victims, kill, between(1_000, kill ? 4_000 : 20_000, random));
    }

    @Override
    public void inflict() throws IOException, InterruptedException {
      for (DaemonProcess d : victims) {
        signal(d, kill ? "KILL" : "STOP");
      }
      hold(time);
      for (DaemonProcess d : kill ? List.<DaemonProcess>of() : victims) {
        signal(d, "CONT");
      }
    }

    private static void signal(DaemonProcess d, String signal) throws IOException, InterruptedException {
      long pid = d.process().orElseThrow(() -> new IOException(d.name() + " does not run")).pid();
      Shell.run("kill", "-" + signal, Long.toString(pid));
    }

    @Override
    public String toString() {
      String who = victims.stream().map(DaemonProcess::name).collect(Collectors.joining(" and "));
      return who + (kill ? " killed, started again after " : " stood still for ") + time.toMillis() + " ms";
    }
  }

  /** The members of one server do something wrong. */
  record Wrong(FaultSwitches switches, int server, String node, Fault fault, Duration time) implements Harm {
    /** Leave bad replicas behind: two pairs with such, and a third that dies, would be more than is promised. */
    private static final Set<Fault> LASTING = EnumSet.of(Fault.WRONG_LOG, Fault.WRONG_CHECKPOINTS, Fault.WITHHOLDS);

    static Wrong any(ClusterDisk disk, FaultSwitches switches, Random random) {
      Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
      int server = LASTING.contains(fault) ? 0 : random.nextInt(ClusterDisk.SERVERS);
      return new Wrong(switches, server, disk.node(server), fault, between(3_000, 15_000, random));
    }

    @Override
    public void inflict() throws IOException {
      switches.tell(ClusterDisk.VOLUME, node, fault);
      hold(time);
      switches.clear(ClusterDisk.VOLUME);
    }

    @Override
    public String toString() {
      return "members of regionserver" + server + " are wrong for " + time.toMillis() + " ms: " + fault;
    }
  }
}
