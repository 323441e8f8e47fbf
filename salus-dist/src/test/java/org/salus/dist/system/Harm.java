package org.salus.dist.system;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.salus.dist.cluster.Daemon;
import org.salus.dist.cluster.DaemonProcess;
import org.salus.dist.cluster.LocalCluster;

/**
 * Something that is done to processes.
 *
 * @param victims a server, or a region server and the DataNode of its host
 * @param kill by kill -9; else they are made to stand still
 * @param time until they are started again, or go on
 */
record Harm(List<DaemonProcess> victims, boolean kill, Duration time) {
  private static final long LONGEST_DOWN_MILLIS = 4_000;
  private static final long SHORTEST_MILLIS = 1_000;
  private static final long LONGEST_STOP_MILLIS = 20_000;

  /** No more than the promise covers: one pair, or the master. */
  static Harm any(LocalCluster cluster, int servers, Random random) {
    int i = random.nextInt(servers);
    List<DaemonProcess> victims = new ArrayList<>();
    switch (random.nextInt(4)) {
      case 0 -> victims.add(cluster.daemon(Daemon.REGIONSERVER, i));
      case 1 -> victims.add(cluster.daemon(Daemon.DATANODE, i));
      case 2 -> victims.addAll(List.of(cluster.daemon(Daemon.REGIONSERVER, i), cluster.daemon(Daemon.DATANODE, i)));
      default -> victims.add(cluster.daemon(Daemon.MASTER, -1));
    }
    boolean kill = random.nextBoolean();
    long most = kill ? LONGEST_DOWN_MILLIS : LONGEST_STOP_MILLIS;
    return new Harm(victims, kill, Duration.ofMillis(SHORTEST_MILLIS + random.nextLong(most - SHORTEST_MILLIS)));
  }

  /** Returns when the victims may be started again, or run again. */
  void inflict() throws IOException, InterruptedException {
    for (DaemonProcess d : victims) {
      signal(d, kill ? "KILL" : "STOP");
    }
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
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
