package org.salus.benchmarks.figures.network;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Makes hosts on this machine and removes them. Each is a network namespace that is linked to a
 * switch, a namespace too, twice: by {@code eth0} it sends, by {@code eth1} it receives. What hosts
 * send reaches one bridge of the switch, and what they receive comes from another; the link between
 * the bridges, which everything crosses, is what they share. Thread-safe.
 */
public final class NetworkMaker implements AutoCloseable {
  /** Links of the switch; those to hosts have a number each. */
  static final String FROM = "from";

  static final String TO = "to";
  static final String TRUNK = "trunk";

  private static final Path NAMESPACES = Path.of("/var/run/netns");
  private static final String TRUNK_END = "trunkend";
  private static final String SENDERS = "senders";
  private static final String RECEIVERS = "receivers";

  /** Jumbo frames, as within data centres. */
  private static final int MTU = 9000;

  /** About three frames at once; what would wait longer than this is dropped. */
  private static final String BUCKET = "burst 32kb latency 50ms";

  private static final long EMPTY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final int shared;
  private final TreeMap<String, Host> hosts;
  private final MachineNetwork network;
  private boolean closed;

  /**
   * A host of them.
   *
   * @param address IPv4
   * @param link its bandwidth in each direction, in megabits (10^6 bits) a second
   */
  public record Host(String address, int link) {}

  /**
   * Nothing is made yet.
   *
   * @param shared bandwidth of all hosts together, in megabits (10^6 bits) a second
   * @param hosts each by its name, which has lower-case letters and digits only; 100 at most
   */
  public NetworkMaker(int shared, Map<String, Host> hosts) throws IOException {
    this(NetworkOwner.self(), shared, hosts);
  }

  NetworkMaker(NetworkOwner owner, int shared, Map<String, Host> hosts) {
    this.shared = shared;
    this.hosts = new TreeMap<>(hosts);
    this.network = new MachineNetwork(owner.prefix(), List.copyOf(this.hosts.keySet()));
  }

  /**
   * Makes them, after what processes have left behind that are gone was removed, and what still
   * runs there was killed.
   *
   * @throws IOException with what is missing: root, a tool, a part of the kernel; then there is
   *     nothing of them
   */
  public synchronized MachineNetwork make() throws IOException {
    if (closed) {
      throw new IOException("stopped");
    }
    Iproute.require();
    removeStale();
    try {
      makeSwitch();
      for (int i = 0; i < network.hosts().size(); i++) {
        makeHost(i);
      }
      for (String host : network.hosts()) {
        introduceOthers(host);
      }
      return network;
    } catch (IOException failed) {
      close();
      throw failed;
    }
  }

  private void makeSwitch() throws IOException {
    String at = network.namespace(MachineNetwork.SWITCH);
    Iproute.ip("netns add " + at);
    Iproute.ip("-n " + at + " link add name " + SENDERS + " mtu " + MTU + " type bridge");
    Iproute.ip("-n " + at + " link add name " + RECEIVERS + " mtu " + MTU + " type bridge");
    Iproute.ip(
        "-n "
            + at
            + " link add name "
            + TRUNK
            + " mtu "
            + MTU
            + " type veth peer name "
            + TRUNK_END
            + " mtu "
            + MTU);
    Iproute.ip("-n " + at + " link set dev " + TRUNK + " master " + SENDERS + " up");
    Iproute.ip("-n " + at + " link set dev " + TRUNK_END + " master " + RECEIVERS + " up");
    Iproute.ip("-n " + at + " link set dev " + SENDERS + " up");
    Iproute.ip("-n " + at + " link set dev " + RECEIVERS + " up");
    limit(at, TRUNK, shared);
  }

  private void makeHost(int i) throws IOException {
    String at = network.namespace(MachineNetwork.SWITCH);
    String name = network.hosts().get(i);
    String host = network.namespace(name);
    int link = hosts.get(name).link;
    Iproute.ip("netns add " + host);
    Iproute.ip(
        "-n "
            + at
            + " link add name "
            + FROM
            + i
            + " mtu "
            + MTU
            + " type veth peer name eth0 mtu "
            + MTU
            + " netns "
            + host);
    Iproute.ip(
        "-n "
            + at
            + " link add name "
            + TO
            + i
            + " mtu "
            + MTU
            + " type veth peer name eth1 mtu "
            + MTU
            + " address "
            + mac(i)
            + " netns "
            + host);
    Iproute.ip("-n " + at + " link set dev " + FROM + i + " master " + SENDERS + " up");
    Iproute.ip("-n " + at + " link set dev " + TO + i + " master " + RECEIVERS + " up");
    // What this bridge does not know goes over the trunk alone.
    Iproute.ip(
        "-n "
            + at
            + " link set dev "
            + FROM
            + i
            + " type bridge_slave flood off mcast_flood off bcast_flood off");
    // Frame by frame, as on a wire: else many would be counted with the heads of one.
    Iproute.ip("-n " + host + " link set dev eth0 gso_max_segs 1 up");
    Iproute.ip("-n " + host + " link set dev eth1 up");
    Iproute.ip("-n " + host + " link set dev lo up");
    Iproute.ip("-n " + host + " address add " + hosts.get(name).address + "/32 dev eth1");
    limit(host, "eth0", link);
    limit(at, TO + i, link);
  }

  /**
   * Where the others are, as asking would get no answer: hosts do not hear what others send to all.
   */
  private void introduceOthers(String host) throws IOException {
    String at = network.namespace(host);
    for (int i = 0; i < network.hosts().size(); i++) {
      String other = network.hosts().get(i);
      if (!other.equals(host)) {
        Iproute.ip(
            "-n "
                + at
                + " route add "
                + hosts.get(other).address
                + "/32 dev eth0 src "
                + hosts.get(host).address);
        Iproute.ip(
            "-n "
                + at
                + " neighbour replace "
                + hosts.get(other).address
                + " lladdr "
                + mac(i)
                + " dev eth0 nud permanent");
      }
    }
  }

  private static void limit(String namespace, String link, int megabits) throws IOException {
    Iproute.tc(
        "-n "
            + namespace
            + " qdisc add dev "
            + link
            + " root tbf rate "
            + megabits
            + "mbit "
            + BUCKET);
  }

  /** Where a host receives. */
  private static String mac(int i) {
    return String.format("02:00:00:00:00:%02x", i + 1);
  }

  /** Removes what processes that are gone have left behind. */
  static void removeStale() throws IOException {
    for (String namespace : namespaces()) {
      Optional<NetworkOwner> owner = NetworkOwner.of(namespace);
      if (owner.isPresent() && !owner.get().isAlive()) {
        remove(namespace);
      }
    }
  }

  /** As {@code ip netns list}, which fails where another process is just making one. */
  private static List<String> namespaces() throws IOException {
    try (Stream<Path> all = Files.list(NAMESPACES)) {
      return all.map(file -> file.getFileName().toString()).toList();
    } catch (NoSuchFileException none) {
      return List.of();
    }
  }

  /** Kills what runs there first: a namespace is there as long as a process is in it. */
  private static void remove(String namespace) throws IOException {
    try {
      long end = System.nanoTime() + EMPTY_NANOS;
      for (List<Long> in = processes(namespace); !in.isEmpty(); in = processes(namespace)) {
        if (System.nanoTime() > end) {
          throw new IOException("processes of an earlier run do not end: " + in);
        }
        in.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
        LockSupport.parkNanos(POLL_NANOS);
      }
      Iproute.ip("netns delete " + namespace);
    } catch (IOException failed) {
      // Another process may have done it meanwhile.
      if (namespaces().contains(namespace)) {
        throw failed;
      }
    }
  }

  private static List<Long> processes(String namespace) throws IOException {
    return Iproute.ip("netns pids " + namespace)
        .lines()
        .map(line -> Long.parseLong(line.strip()))
        .toList();
  }

  /** Kills what runs on the hosts and removes them; idempotent. Nothing can be made afterwards. */
  @Override
  public synchronized void close() throws IOException {
    if (!closed) {
      closed = true;
      for (String namespace : namespaces()) {
        if (namespace.startsWith(network.prefix())) {
          remove(namespace);
        }
      }
    }
  }
}
