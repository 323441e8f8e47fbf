package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.dist.data.DataDirectory;
import org.salus.dist.doctor.check.Checks;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Checks what a user sees of refused commands. No cluster is started. */
class SalusTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path temp;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "--nonsense",
        "standalone --nonsense",
        "standalone --volume disk0",
        "standalone --volume a:0",
        "standalone --volume a:1G:5K",
        "standalone --volume a/b:1G",
        "standalone --servers 0",
        "standalone --servers 33",
        "standalone --servers x",
        "standalone --nbd nowhere",
        "standalone --nbd x:70000",
        "standalone --volume a:1G --volume a:1G",
        "standalone extra",
        "volume list --zookeeper host:abc",
        "volume list --zookeeper host:70000",
        "volume list --zookeeper ,",
        "volume create disk1:8X",
        "cluster",
        "cluster start --servers 2",
        "cluster nonsense",
        "daemon",
        "daemon nonsense --conf a --log b",
        "daemon datanode --log b",
        "daemon datanode --conf a --log b -upgrade",
        "daemon namenode --conf a --log b --nonsense",
        "doctor --timeout 0",
        "doctor --zookeeper host:abc",
        "doctor extra",
        "top --interval 0",
        "top --count -1",
        "install",
        "install --dry-run",
        "install --hadoop /x --zookeeper host",
        "install --hadoop /x extra",
        "uninstall",
        "uninstall --hbase-conf /x"
      })
  void wrongUsageIsOneLineAndCodeTwo(String arguments) {
    assertThat(run(arguments.isEmpty() ? new String[0] : arguments.split(" ")))
        .isEqualTo(Salus.USAGE);
    oneLine("--help");
  }

  @Test
  void aDirectoryInUseIsOneLineAndCodeOne() throws Exception {
    try (DataDirectory held = DataDirectory.open(temp)) {
      assertThat(standalone(held.path(), "127.0.0.1:0")).isEqualTo(Salus.FAILED);
    }
    oneLine("is in use by another process");
  }

  @Test
  void aDirectoryThatCannotBeMadeIsOneLineAndCodeOne() throws Exception {
    Path file = Files.writeString(temp.resolve("file"), "x");
    assertThat(standalone(file, "127.0.0.1:0")).isEqualTo(Salus.FAILED);
    oneLine("is not writable");
  }

  @Test
  void aTakenPortIsOneLineAndCodeOneAndTouchesNothing() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      assertThat(standalone(temp.resolve("data"), "127.0.0.1:" + taken.getLocalPort()))
          .isEqualTo(Salus.FAILED);
    }
    oneLine("cannot listen on 127.0.0.1:");
    assertThat(temp.resolve("data")).doesNotExist();
  }

  @Test
  void aClusterThatIsNotThereAndADaemonWithoutSettingsAreOneLineEach() {
    assertThat(run("cluster", "status", "--dir", temp.resolve("nothing").toString()))
        .isEqualTo(Salus.FAILED);
    oneLine("salus cluster start");
    err.getBuffer().setLength(0);
    assertThat(
            run(
                "daemon",
                "DataNode",
                "--conf",
                temp.resolve("nothing").toString(),
                "--log",
                temp.resolve("log").toString()))
        .isEqualTo(Salus.FAILED);
    oneLine("give a file with --conf");
  }

  @Test
  void aDoctorWithoutClusterIsOneLineAndCodeTwo() {
    assertThat(run("doctor", "--data", temp.resolve("nothing").toString())).isEqualTo(Salus.USAGE);
    oneLine("give --zookeeper HOST:PORT");
    err.getBuffer().setLength(0);
    assertThat(
            run("doctor", "--zookeeper", "127.0.0.1:1", "-D", "salus.client.connect.timeout=100ms"))
        .isEqualTo(Salus.USAGE);
    oneLine("did not answer within 100 ms");
  }

  @Test
  void theDoctorListsWhatItLooksFor() {
    assertThat(run("doctor", "--list")).isZero();
    assertThat(out.toString().lines()).hasSize(Checks.ALL.size());
    assertThat(out.toString()).contains("guard        every NameNode, also a standby,");
  }

  @Test
  void aDirectoryWithoutHadoopOrSalusIsOneLine() throws Exception {
    assertThat(run("install", "--hadoop", temp.toString())).isEqualTo(Salus.FAILED);
    oneLine("has no hadoop-hdfs-VERSION.jar");
    err.getBuffer().setLength(0);
    assertThat(run("uninstall", "--hbase", temp.resolve("none").toString()))
        .isEqualTo(Salus.FAILED);
    oneLine("there is no directory");
    assertThat(run("uninstall", "--hbase", temp.toString())).isZero();
    assertThat(out.toString()).contains("nothing is to be done: Salus is not installed there");
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void verboseAddsTheStackTrace() throws Exception {
    Path file = Files.writeString(temp.resolve("file"), "x");
    assertThat(run("standalone", "--verbose", "--nbd", "127.0.0.1:0", "--data", file.toString()))
        .isEqualTo(Salus.FAILED);
    assertThat(err.toString()).contains("\tat org.salus.dist.");
  }

  @Test
  void helpTellsTheDefaults() {
    assertThat(run("standalone", "--help")).isZero();
    assertThat(out.toString())
        .contains("disk0:8G:4K", "127.0.0.1:10809", "./salus-data", "Default: 4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"standalone", "cluster start", "volume create", "volume repair"})
  void helpSaysHowSizesAreWritten(String command) {
    assertThat(run((command + " --help").split(" "))).isZero();
    assertThat(out.toString().replaceAll("\\s+", " ")).contains(Sizes.HELP);
  }

  @Test
  void anUnknownHostIsToldFromOneThatDoesNotAnswerAtOnce() {
    assertThat(run("volume", "list", "--zookeeper", "nohost.invalid:2181")).isEqualTo(Salus.FAILED);
    oneLine("unknown host nohost.invalid; check --zookeeper");
    err.getBuffer().setLength(0);
    assertThat(run("volume", "list", "-D", "salus.zookeeper.quorum=nohost.invalid:2181"))
        .isEqualTo(Salus.FAILED);
    oneLine("unknown host nohost.invalid; check salus.zookeeper.quorum");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--version", "--help", "volume --help", "volume list --help", "prints"})
  void lostOutputIsOneLineAndCodeOne(String arguments) {
    CommandLine line = Salus.commandLine().addSubcommand(new Prints());
    line.setOut(new PrintWriter(new FullDisk(), true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(err, true));
    assertThat(line.execute(arguments.split(" "))).isEqualTo(Salus.FAILED);
    oneLine("cannot write to standard output");
  }

  @Command(name = "prints")
  private static final class Prints implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      spec.commandLine().getOut().println("a result");
      return 0;
    }
  }

  /** A stream that is always full, like /dev/full. */
  private static final class FullDisk extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      throw new IOException("No space left on device");
    }
  }

  @Command(name = "fails")
  private static final class Fails implements Callable<Integer> {
    @Override
    public Integer call() throws IOException {
      throw new IOException(
          "regionserver0 does not start: it ended (see logs)\n  regionserver0: its port is taken; stop who has it\n"
              + "\tat org.apache.hadoop.ipc.Server$Handler.run(Server.java:2894)\n\t... 3 more");
    }
  }

  @Test
  void allLinesOfAnErrorAreToldButNoStackTraceOfAnotherProcess() {
    CommandLine line = Salus.commandLine().addSubcommand(new Fails());
    line.setErr(new PrintWriter(err, true));
    assertThat(line.execute("fails")).isEqualTo(Salus.FAILED);
    assertThat(err.toString().lines())
        .containsExactly(
            "salus: regionserver0 does not start: it ended (see logs)",
            "  regionserver0: its port is taken; stop who has it");
  }

  private int standalone(Path data, String nbd) {
    return run("standalone", "--nbd", nbd, "--data", data.toString());
  }

  private int run(String... arguments) {
    CommandLine line = Salus.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private void oneLine(String message) {
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("salus: ")
        .contains(message);
    assertThat(out.toString()).isEmpty();
  }
}
