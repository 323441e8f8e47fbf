package org.salus.dist.system;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Hosts on one network, on which packages can be installed: copies of this machine, each with a
 * name, an address and files of its own. What they write is in memory, and gone when this is
 * closed. It needs root.
 */
final class PackageHosts implements AutoCloseable {
  /** It ends when its standard input does, so that it never outlives this process. */
  private static final String HOST =
      """
      set -e
      mount -t tmpfs none "$1"
      mkdir "$1/upper" "$1/spare" "$1/root"
      mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/spare" "$1/root"
      mount --rbind /proc "$1/root/proc"
      mount --rbind /dev "$1/root/dev"
      hostname "$2"
      ip link set lo up
      echo made
      exec cat
      """;

  private static final String NETWORK =
      """
      set -e
      ip link add name net type bridge
      ip link set net up
      echo made
      exec cat
      """;

  private static final long STOP_SECONDS = 60;

  private final Path dir;
  private final Deque<Process> holders = new ArrayDeque<>();
  private final List<Host> hosts = new ArrayList<>();

  private PackageHosts(Path dir) {
    this.dir = dir;
  }

  /**
   * @param names of the hosts
   */
  static PackageHosts start(Path dir, List<String> names) throws IOException, InterruptedException {
    if (!"root".equals(System.getProperty("user.name"))) {
      throw new IOException("only root can make hosts for packages");
    }
    PackageHosts made = new PackageHosts(dir);
    try {
      Process network = made.hold("-n", NETWORK);
      for (String name : names) {
        made.hosts.add(made.host(name, network));
      }
      String all =
          made.hosts.stream().map(h -> h.address + " " + h.name).collect(Collectors.joining("\n"));
      for (Host h : made.hosts) {
        h.write("/etc/hosts", "127.0.0.1 localhost\n" + all + "\n");
      }
      return made;
    } catch (IOException | InterruptedException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  List<Host> hosts() {
    return hosts;
  }

  /** The newest lines of all logs. */
  String logs() {
    StringBuilder all = new StringBuilder();
    for (Host h : hosts) {
      try {
        all.append("\n== ").append(h.name).append("\n");
        all.append(h.tryRun("sh", "-c", "tail -n 40 /var/log/salus/*.log").output());
      } catch (IOException | InterruptedException e) {
        all.append(e);
      }
    }
    return all.toString();
  }

  private Process hold(String spaces, String script, String... words) throws IOException {
    // A new mount name space propagates nothing.
    List<String> all = new ArrayList<>(List.of("unshare", spaces, "sh", "-c", script, "sh"));
    all.addAll(List.of(words));
    Process p = new ProcessBuilder(all).redirectErrorStream(true).start();
    holders.push(p);
    String said = p.inputReader().readLine();
    if (!"made".equals(said)) {
      throw new IOException("no host for packages: " + said);
    }
    return p;
  }

  private Host host(String name, Process network) throws IOException, InterruptedException {
    int number = hosts.size() + 1;
    Path files = Files.createDirectory(dir.resolve(name));
    Process holder = hold("-mnu", HOST, files.toString(), name);
    String address = "10.0.0." + number;
    String link = "host" + number;
    String pid = Long.toString(holder.pid());
    in(network, "ip link add " + link + " type veth peer name eth0 netns " + pid);
    in(network, "ip link set " + link + " master net up");
    in(holder, "ip address add " + address + "/24 dev eth0");
    in(holder, "ip link set eth0 up");
    return new Host(name, address, pid, files.resolve("root"));
  }

  private static void in(Process holder, String command) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("nsenter", "-t", holder.pid() + "", "-n"));
    all.addAll(List.of(command.split(" ")));
    Shell.run(all.toArray(String[]::new));
  }

  @Override
  public void close() throws IOException, InterruptedException {
    for (Host h : hosts) {
      h.stopAll();
    }
    while (!holders.isEmpty()) {
      Process p = holders.pop();
      p.destroy();
      p.waitFor();
    }
  }

  /** A copy of this machine. */
  static final class Host {
    final String name;
    final String address;
    private final String pid;
    private final Path root;
    private final Deque<Process> services = new ArrayDeque<>();

    private Host(String name, String address, String pid, Path root) {
      this.name = name;
      this.address = address;
      this.pid = pid;
      this.root = root;
    }

    private String[] command(String... words) {
      List<String> all = new ArrayList<>(List.of("nsenter", "-t", pid, "-m", "-n", "-u", "chroot"));
      all.addAll(List.of(root.toString(), "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"));
      all.addAll(List.of(words));
      return all.toArray(String[]::new);
    }

    private static String[] as(String user, String... words) {
      List<String> all = new ArrayList<>(List.of("setpriv", "--reuid", user));
      all.addAll(List.of("--regid", user, "--init-groups", "env", "HOME=/var/lib/salus"));
      all.addAll(List.of(words));
      return all.toArray(String[]::new);
    }

    /** Runs a command as root, whether it succeeds or not. */
    Shell.Result tryRun(String... words) throws IOException, InterruptedException {
      return Shell.tryRun(command(words));
    }

    /** Runs a command as root that must succeed. */
    String run(String... words) throws IOException, InterruptedException {
      return Shell.run(command(words));
    }

    /** Runs a command as the user of the services, whether it succeeds or not. */
    Shell.Result salus(String... words) throws IOException, InterruptedException {
      return tryRun(as("salus", words));
    }

    void write(String file, String text) throws IOException, InterruptedException {
      run("sh", "-c", "printf %s \"$1\" > \"$2\"", "sh", text, file);
    }

    /**
     * Starts a service as its unit says, as far as a service needs nothing of systemd.
     *
     * @param unit its name without ".service"
     * @return the first line that it prints after those of its libraries
     */
    String start(String unit) throws IOException, InterruptedException {
      int at = unit.indexOf('@') + 1;
      String instance = unit.substring(at);
      String text =
          run(
                  "cat",
                  "/usr/lib/systemd/system/"
                      + (at == 0 ? unit : unit.substring(0, at))
                      + ".service")
              .replace("%i", instance);
      StringBuilder script = new StringBuilder("umask 0027; set -a; ");
      for (String line : text.lines().toList()) {
        String value = line.substring(line.indexOf('=') + 1);
        if (line.startsWith("Environment=")) {
          script.append(value).append("; ");
        } else if (line.startsWith("EnvironmentFile=-")) {
          String file = value.substring(1);
          script.append("[ ! -f ").append(file).append(" ] || . ").append(file).append("; ");
        } else if (line.startsWith("ExecStart=")) {
          script.append("exec ").append(value);
        }
      }
      String user = text.lines().filter(l -> l.startsWith("User=")).findFirst().orElse("User=root");
      Process p =
          new ProcessBuilder(command(as(user.substring(5), "sh", "-c", script.toString())))
              .redirectErrorStream(true)
              .start();
      services.push(p);
      BufferedReader said = p.inputReader(StandardCharsets.UTF_8);
      String line = said.readLine();
      while (line != null && line.startsWith("log4j:")) {
        line = said.readLine();
      }
      return line;
    }

    /** Ends all services, the newest first. */
    void stopAll() throws InterruptedException {
      while (!services.isEmpty()) {
        Process p = services.pop();
        p.destroy();
        if (!p.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
          p.destroyForcibly().waitFor();
        }
      }
    }

    /** Ends all services as a power cut does. */
    void killAll() throws InterruptedException {
      while (!services.isEmpty()) {
        services.pop().destroyForcibly().waitFor();
      }
    }
  }
}
