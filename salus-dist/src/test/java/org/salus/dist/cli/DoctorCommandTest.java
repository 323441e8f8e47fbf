package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.doctor.Diagnosis;
import org.salus.dist.doctor.check.Finding;
import org.salus.dist.doctor.check.Finding.Severity;
import org.salus.dist.zk.EmbeddedZooKeeper;
import picocli.CommandLine;

@Timeout(120)
class DoctorCommandTest {
  private static final List<Diagnosis.Looked> CHECKS =
      List.of(new Diagnosis.Looked("guard", "all is guarded"));

  @Test
  void eachFindingIsOneLineWithTheWayOut() {
    Diagnosis d =
        new Diagnosis(
            false,
            1,
            2,
            List.of(
                new Finding(Severity.PROBLEM, "guard", "no guard\n\tat a.b.C(C.java:1)", "add one"),
                new Finding(Severity.NOTE, "space", "much room", "")),
            CHECKS);
    assertThat(DoctorCommand.text(d).lines())
        .containsExactly(
            "problem  guard: no guard -> add one",
            "note     space: much room",
            "not healthy: 1 problem, 2 warnings; 1 check");
  }

  /** What the command prints, and its exit code. */
  private record Run(int code, String out, String err) {}

  private static Run run(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = Salus.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    int code = line.execute(arguments);
    return new Run(code, out.toString(), err.toString());
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  @Test
  void aStandaloneClusterIsExaminedForItsVolumesOnly(@TempDir Path dir) throws IOException {
    int port = freePort();
    Files.writeString(dir.resolve("cluster.properties"), "zookeeper=" + port);
    try (EmbeddedZooKeeper zookeeper = zookeeper(dir, port)) {
      assertThat(zookeeper.isRunning()).isTrue();
      Run run = run("doctor", "--data", dir.toString());
      assertThat(run.out().strip()).isEqualTo("healthy: no problems, no warnings; 1 check");
      assertThat(run.err()).contains("of a 'salus standalone', only the volumes are examined");
      assertThat(run.code()).isZero();
    }
  }

  private static EmbeddedZooKeeper zookeeper(Path dir, int port) throws IOException {
    return EmbeddedZooKeeper.start(
        dir.resolve("zookeeper"), new InetSocketAddress("127.0.0.1", port), false);
  }

  @Test
  void anHBaseOfAnotherPathInZooKeeperIsTold(@TempDir Path dir) throws IOException {
    int port = freePort();
    try (EmbeddedZooKeeper zookeeper = zookeeper(dir, port)) {
      assertThat(zookeeper.isRunning()).isTrue();
      Run run =
          run(
              "doctor",
              "--zookeeper",
              "127.0.0.1:" + port + "/path",
              "-D",
              "zookeeper.znode.parent=/hbase-unsecure");
      assertThat(run.out().lines().filter(l -> l.contains("no /hbase-unsecure")))
          .hasSize(1)
          .allMatch(l -> l.contains("give -D zookeeper.znode.parent=PATH"));
      assertThat(run.code()).isEqualTo(1);
    }
  }

  @Test
  void theTimeLimitCountsForZooKeeperToo() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      Run run =
          run("doctor", "--zookeeper", "127.0.0.1:" + silent.getLocalPort(), "--timeout", "1");
      assertThat(run.err()).contains("ZooKeeper did not answer within 1 s");
      assertThat(run.code()).isEqualTo(2);
    }
  }

  @Test
  void nothingFoundIsOneLine() {
    assertThat(DoctorCommand.text(new Diagnosis(true, 0, 0, List.of(), CHECKS)))
        .isEqualTo("healthy: no problems, no warnings; 1 check");
  }
}
