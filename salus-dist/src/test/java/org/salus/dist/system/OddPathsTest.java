package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.salus.dist.cli.Salus;
import org.salus.dist.zk.EmbeddedZooKeeper;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Every option that takes a path works with an odd one, or refuses it at once in one line that says
 * what to do. {@link BadInputTest} has a socket that works.
 */
@Tag("cluster")
class OddPathsTest {
  /** What may be in one path together. */
  private static final String ALL = " a b \u00e4 50% a%20b +#;,&${user}$(x)'`[x]*\\ ";

  /** The most bytes of a name on Linux. */
  private static final String LONG = "l".repeat(255);

  private static final String NO_HDFS_PATH = "choose a path of letters";
  private static final Set<String> PATHS = Set.of("DIR", "FILE", "PATH");

  @TempDir static Path temp;

  private static EmbeddedZooKeeper zookeeper;
  private static String quorum;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** What is tried with an option. */
  private interface Trial {
    void run(OddPathsTest test, String name) throws Exception;
  }

  /** By the class of the option and its name. A new option that takes a path must be here. */
  private static final Map<String, Trial> TRIALS =
      Map.ofEntries(
          Map.entry("StandaloneCommand --data", OddPathsTest::standalone),
          Map.entry("ClusterCommand --dir", OddPathsTest::cluster),
          Map.entry("ClusterOptions --data", OddPathsTest::data),
          Map.entry("ClusterOptions --conf", OddPathsTest::conf),
          Map.entry("NbdCommand --socket", OddPathsTest::socket),
          Map.entry("DaemonCommand --conf", OddPathsTest::daemon),
          Map.entry("DaemonCommand --log", OddPathsTest::log),
          Map.entry("HomeOptions --hadoop", OddPathsTest::hadoop),
          Map.entry("HomeOptions --hbase", OddPathsTest::hbase),
          Map.entry("InstallCommand --hadoop-conf", OddPathsTest::hadoop),
          Map.entry("InstallCommand --hbase-conf", OddPathsTest::hbase),
          Map.entry("RunDirOption --run-dir", OddPathsTest::runDir),
          Map.entry("SaltabOption --saltab", OddPathsTest::saltab),
          Map.entry("MapCommand --bridge", OddPathsTest::bridge),
          Map.entry("NbdCommand --log", OddPathsTest::bridgeLog),
          Map.entry("NbdCommand --last-mount", OddPathsTest::lastMount));

  @BeforeAll
  static void start() throws Exception {
    int port = StandaloneProcess.freePort();
    quorum = "127.0.0.1:" + port;
    zookeeper =
        EmbeddedZooKeeper.start(
            temp.resolve("zk"), new InetSocketAddress("127.0.0.1", port), false);
  }

  @AfterAll
  static void stop() {
    zookeeper.close();
  }

  @Test
  void everyOptionThatTakesAPathIsTried() {
    Set<String> options = new TreeSet<>();
    collect(Salus.commandLine(), options);
    assertThat(options).containsExactlyInAnyOrderElementsOf(TRIALS.keySet());
  }

  private static void collect(CommandLine command, Set<String> options) {
    for (ArgSpec arg : command.getCommandSpec().args()) {
      boolean isPath =
          arg.type() == Path.class || PATHS.stream().anyMatch(p -> arg.paramLabel().contains(p));
      if (isPath) {
        String owner =
            arg.userObject() instanceof Field f ? f.getDeclaringClass().getSimpleName() : "?";
        options.add(owner + " " + (arg instanceof OptionSpec o ? o.longestName() : "argument"));
      }
    }
    command.getSubcommands().values().forEach(c -> collect(c, options));
  }

  static Stream<String> trials() {
    return TRIALS.keySet().stream().sorted();
  }

  @ParameterizedTest
  @MethodSource("trials")
  void itWorksOrIsRefusedAtOnce(String option) throws Exception {
    TRIALS.get(option).run(this, ALL);
  }

  @ParameterizedTest
  @MethodSource("trials")
  void aLongNameWorksOrIsRefusedAtOnce(String option) throws Exception {
    TRIALS.get(option).run(this, LONG);
  }

  private void standalone(String name) throws Exception {
    refused(
        name.equals(LONG) ? "is not writable" : NO_HDFS_PATH,
        "standalone",
        "--data",
        tooLong(name).toString(),
        "--nbd",
        "127.0.0.1:0");
  }

  private void cluster(String name) throws Exception {
    String dir = tooLong(name).toString();
    refused(
        name.equals(LONG) ? "is not writable" : NO_HDFS_PATH,
        "cluster",
        "start",
        "--dir",
        dir,
        "--nbd",
        "127.0.0.1:0");
    refused("there is no cluster in " + dir, "cluster", "status", "--dir", dir);
    assertThat(run("cluster", "stop", "--dir", dir)).isZero();
  }

  private void data(String name) throws Exception {
    Path dir = Files.createDirectories(temp.resolve(name));
    refused("has no cluster", "volume", "list", "--data", dir.toString());
    Files.writeString(
        dir.resolve("cluster.properties"),
        "zookeeper=" + quorum.substring(quorum.indexOf(':') + 1));
    lists("--data", dir.toString());
    Files.delete(dir.resolve("cluster.properties"));
  }

  private void conf(String name) throws Exception {
    refused("cannot read", "volume", "list", "--conf", tooLong(name).toString());
    lists("--conf", file(name, Map.of("salus.zookeeper.quorum", quorum)).toString());
  }

  private void hadoop(String name) throws Exception {
    installs(name, "hadoop", "hadoop-hdfs-3.4.1.jar", "hdfs-site.xml", "");
  }

  private void hbase(String name) throws Exception {
    installs(
        name,
        "hbase",
        "hbase-server-2.6.4-hadoop3.jar",
        "hbase-site.xml",
        "<property><name>hbase.cluster.distributed</name><value>true</value></property>");
  }

  /** Into a directory of this name, with settings in another one, and out again. */
  private void installs(String name, String product, String jar, String site, String settings)
      throws Exception {
    String home = "--" + product;
    refused("there is no directory", "install", home, tooLong(name).toString());
    Path dir = Files.createDirectories(temp.resolve(product).resolve(name));
    Files.createDirectories(dir.resolve("lib"));
    Files.writeString(dir.resolve("lib").resolve(jar), "");
    Path conf = Files.createDirectories(temp.resolve(product + "-conf").resolve(name));
    String before = "<configuration>" + settings + "</configuration>";
    Files.writeString(conf.resolve(site), before);
    refused(product + "-conf DIR", "install", home, dir.toString());
    List<String> install =
        List.of("install", home, dir.toString(), home + "-conf", conf.toString());
    List<String> all = new ArrayList<>(install);
    all.addAll(List.of("--zookeeper", quorum, "--hbase-user", "hbase"));
    assertThat(run(all.toArray(String[]::new))).as(err.toString()).isZero();
    assertThat(Files.readString(conf.resolve(site))).contains(quorum);
    assertThat(run("uninstall", home, dir.toString(), "--force")).as(err.toString()).isZero();
    assertThat(conf.resolve(site)).hasContent(before);
    assertThat(dir.resolve("salus-installed")).doesNotExist();
  }

  private void socket(String name) throws Exception {
    refused(
        name.equals(LONG) ? "choose a shorter one" : "there is no directory",
        "nbd",
        "nothing",
        "--zookeeper",
        quorum,
        "--socket",
        temp.resolve("no directory").resolve(name).toString());
  }

  private void runDir(String name) throws Exception {
    Path dir = Files.createDirectories(temp.resolve("run").resolve(name));
    assertThat(run("showmapped", "--run-dir", dir.toString())).as(err.toString()).isZero();
    assertThat(out.toString()).startsWith("VOLUME");
  }

  private void saltab(String name) throws Exception {
    refused("cannot read", "map", "--all", "--saltab", tooLong(name).toString());
    Path table = Files.createDirectories(temp.resolve("tables")).resolve(name);
    Files.writeString(table, "disk1 --nonsense");
    refused(table + ":1: ", "map", "--all", "--saltab", table.toString());
  }

  private void bridge(String name) throws Exception {
    Path socket = temp.resolve("sockets").resolve(name);
    refused(
        "no bridge serves disk1 at unix:" + socket, "map", "disk1", "--bridge", "unix:" + socket);
  }

  private void lastMount(String name) throws Exception {
    Path nowhere = temp.resolve("no mounts").resolve(name);
    String[] nbd = {"nbd", "nothing", "--zookeeper", quorum, "--last-mount", nowhere.toString()};
    refused("there is no directory", nbd);
    Path file = Files.createDirectories(temp.resolve("mounts")).resolve(name);
    Files.writeString(file, "x");
    nbd[5] = file.toString();
    // The name of the file that it locks is longer.
    refused(name.equals(LONG) ? "File name too long" : file + " is damaged", nbd);
  }

  /** A daemon's own settings have paths, too. */
  private void daemon(String name) throws Exception {
    refused(
        "cannot read", "daemon", "zookeeper", "--conf", tooLong(name).toString(), "--log", "/x");
    Path data = temp.resolve(name).resolve("data");
    Path conf = zooKeeperSettings(name, data);
    assertServes("--conf", conf.toString(), "--log", temp.resolve("daemon.log").toString());
    assertThat(data.resolve("version-2")).isDirectory();
  }

  private void log(String name) throws Exception {
    Path conf = zooKeeperSettings("plain", temp.resolve("plain/data"));
    Path log = temp.resolve("logs").resolve(name);
    assertServes("--conf", conf.toString(), "--log", log.toString());
    assertThat(log).isNotEmptyFile();
    refusedDaemon("zookeeper", conf, log.resolve("below"), "cannot write the log");
  }

  private void bridgeLog(String name) throws Exception {
    String[] nbd = {"nbd", "nothing", "--zookeeper", quorum, "--log", ""};
    Path file = Files.createDirectories(temp.resolve("files")).resolve("plain");
    Files.writeString(file, "x");
    nbd[5] = file.resolve(name).toString();
    refused("cannot write the log", nbd);
  }

  @Test
  void aDirectoryThatADataNodeWouldMisreadIsRefused() throws Exception {
    Path directory = temp.resolve("a b").resolve("of-datanode");
    Path conf = file("datanode", Map.of("dfs.datanode.data.dir", directory.toUri().toString()));
    refusedDaemon("datanode", conf, temp.resolve("datanode.log"), NO_HDFS_PATH);
    assertThat(directory).doesNotExist();
  }

  /** In a process of its own: a daemon's settings become those of its process. */
  private static void refusedDaemon(String role, Path conf, Path log, String why) throws Exception {
    List<String> command =
        StandaloneProcess.java(
            "-Xmx256m",
            Salus.class.getName(),
            "daemon",
            role,
            "--conf",
            conf.toString(),
            "--log",
            log.toString());
    Shell.Result refused = Shell.tryRun(command.toArray(String[]::new));
    assertThat(refused.code()).as(refused.output()).isEqualTo(Salus.FAILED);
    assertThat(refused.output().lines().filter(l -> l.startsWith("salus: ")))
        .singleElement()
        .asString()
        .contains(why);
  }

  /** A path that Linux takes for no file if the name is long, and one that does not exist. */
  private static Path tooLong(String name) {
    return temp.resolve("none").resolve(name.equals(LONG) ? LONG + "l" : name);
  }

  private static Path zooKeeperSettings(String name, Path data) throws Exception {
    return file(
        name,
        Map.of(
            "salus.zookeeper.dir",
            data.toString(),
            "hbase.zookeeper.property.clientPort",
            Integer.toString(StandaloneProcess.freePort())));
  }

  /** A file of settings in a directory of this name. */
  private static Path file(String name, Map<String, String> settings) throws Exception {
    Configuration conf = new Configuration(false);
    settings.forEach(conf::set);
    Path file = Files.createDirectories(temp.resolve(name)).resolve("conf.xml");
    try (OutputStream to = Files.newOutputStream(file)) {
      conf.writeXml(to);
    }
    return file;
  }

  private static void assertServes(String... options) throws Exception {
    List<String> command =
        new ArrayList<>(
            StandaloneProcess.java("-Xmx128m", Salus.class.getName(), "daemon", "zookeeper"));
    command.addAll(Arrays.asList(options));
    ProcessBuilder process = new ProcessBuilder(command);
    Path said = temp.resolve("said");
    Process daemon = process.redirectError(said.toFile()).start();
    assertThat(daemon.inputReader().readLine())
        .as(Files.readString(said))
        .isEqualTo("ready zookeeper");
    daemon.destroy();
    assertThat(daemon.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  private void lists(String... options) {
    List<String> all = new ArrayList<>(List.of("volume", "list"));
    all.addAll(List.of(options));
    assertThat(run(all.toArray(String[]::new))).as(err.toString()).isZero();
    assertThat(out.toString()).startsWith("NAME");
  }

  private void refused(String why, String... arguments) {
    err.getBuffer().setLength(0);
    assertThat(run(arguments)).isEqualTo(Salus.FAILED);
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("salus: ")
        .contains(why);
  }

  private int run(String... arguments) {
    CommandLine line = Salus.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }
}
