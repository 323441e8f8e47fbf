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
 * Makes a network of machines on this computer and removes it. Each machine is a network namespace
 * with two links to a switch, which is a namespace too: it sends by {@code eth0} and receives by
 * {@code eth1}. What machines send reaches one bridge of the switch. What they receive comes from
 * another. All bytes cross the link between the bridges: its bandwidth is what the machines share.
 * Thread-safe.
 */
public final class NetworkMaker implements AutoCloseable {
  /** Names of the switch's links; the number of the machine follows. */
  static final String FROM = "from";

  static final String TO = "to";
  static final String TRUNK = "trunk";

  private static final Path NAMESPACES = Path.of("/var/run/netns");
  private static final String TRUNK_END = "trunkend";
  private static final String SENDERS = "senders";
  private static final String RECEIVERS = "receivers";

  /** Jumbo frames, which data centres use. */
  private static final int MTU = 9000;

  /** Lets about three frames pass at once, and drops what would wait longer than 50 ms. */
  private static final String BUCKET = "burst 32kb latency 50ms";

  private static final long EMPTY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final int shared;
  private final TreeMap<String, LinkedMachine> machines;
  private final MachineNetwork network;
  private boolean closed;

  /**
   * A machine of the network.
   *
   * @param address IPv4
   * @param link its bandwidth in each direction, in megabits (10^6 bits) a second
   */
  public record LinkedMachine(String address, int link) {}

  /**
   * Nothing is made yet.
   *
   * @param shared bandwidth of all machines together, in megabits (10^6 bits) a second
   * @param machines each by its name, which has lower-case letters and digits only; 100 at most
   */
  public NetworkMaker(int shared, Map<String, LinkedMachine> machines) throws IOException {
    this(NetworkOwner.self(), shared, machines);
  }

  NetworkMaker(NetworkOwner owner, int shared, Map<String, LinkedMachine> machines) {
    this.shared = shared;
    this.machines = new TreeMap<>(machines);
    this.network = new MachineNetwork(owner.prefix(), List.copyOf(this.machines.keySet()));
  }

  /**
   * Makes the network. First it removes the networks of processes that have ended, and kills what
   * still runs in them.
   *
   * @throws IOException saying what is missing: root, a tool or a part of the kernel; then nothing
   *     of the network is left
   */
  public synchronized MachineNetwork make() throws IOException {
    if (closed) {
      throw new IOException("stopped");
    }
    Iproute.require();
    removeStale();
    try {
      makeSwitch();
      for (int i = 0; i < network.machines().size(); i++) {
        makeMachine(i);
      }
      for (String machine : network.machines()) {
        introduceOthers(machine);
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

  private void makeMachine(int i) throws IOException {
    String at = network.namespace(MachineNetwork.SWITCH);
    String name = network.machines().get(i);
    String machine = network.namespace(name);
    int link = machines.get(name).link;
    Iproute.ip("netns add " + machine);
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
            + machine);
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
            + machine);
    Iproute.ip("-n " + at + " link set dev " + FROM + i + " master " + SENDERS + " up");
    Iproute.ip("-n " + at + " link set dev " + TO + i + " master " + RECEIVERS + " up");
    // The bridge sends frames for unknown addresses over the trunk only.
    Iproute.ip(
        "-n "
            + at
            + " link set dev "
            + FROM
            + i
            + " type bridge_slave flood off mcast_flood off bcast_flood off");
    // Send frame by frame, as on a wire; otherwise many would be counted with the headers of one.
    Iproute.ip("-n " + machine + " link set dev eth0 gso_max_segs 1 up");
    Iproute.ip("-n " + machine + " link set dev eth1 up");
    Iproute.ip("-n " + machine + " link set dev lo up");
    Iproute.ip("-n " + machine + " address add " + machines.get(name).address + "/32 dev eth1");
    limit(machine, "eth0", link);
    limit(at, TO + i, link);
  }

  /**
   * Tells a machine the addresses of the others. It could not ask for them: machines do not receive
   * broadcasts.
   */
  private void introduceOthers(String machine) throws IOException {
    String at = network.namespace(machine);
    for (int i = 0; i < network.machines().size(); i++) {
      String other = network.machines().get(i);
      if (!other.equals(machine)) {
        Iproute.ip(
            "-n "
                + at
                + " route add "
                + machines.get(other).address
                + "/32 dev eth0 src "
                + machines.get(machine).address);
        Iproute.ip(
            "-n "
                + at
                + " neighbour replace "
                + machines.get(other).address
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

  /** The address of the link by which a machine receives. */
  private static String mac(int i) {
    return String.format("02:00:00:00:00:%02x", i + 1);
  }

  /** Removes what ended processes have left behind. */
  static void removeStale() throws IOException {
    for (String namespace : namespaces()) {
      Optional<NetworkOwner> owner = NetworkOwner.of(namespace);
      if (owner.isPresent() && !owner.get().isAlive()) {
        remove(namespace);
      }
    }
  }

  /** Like {@code ip netns list}, which fails while another process makes a namespace. */
  private static List<String> namespaces() throws IOException {
    try (Stream<Path> all = Files.list(NAMESPACES)) {
      return all.map(file -> file.getFileName().toString()).toList();
    } catch (NoSuchFileException none) {
      return List.of();
    }
  }

  /** Kills the processes in a namespace first: it exists as long as one is in it. */
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

  /** Kills what runs on the machines and removes them; idempotent. No network can be made later. */
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
