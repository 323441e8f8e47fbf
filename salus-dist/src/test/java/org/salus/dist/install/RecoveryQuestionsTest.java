package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.cli.Salus;

/** What is asked before files are changed is asked before a run that was cut off is undone. */
class RecoveryQuestionsTest {
  @TempDir(factory = InMemory.class)
  Path temp;

  private final StringWriter err = new StringWriter();
  private Layout layout;

  /** What a crash is to the code: nothing of it runs after that. */
  private static final class Crash extends Error {
    private static final long serialVersionUID = 1L;
  }

  @BeforeEach
  void layOut() throws IOException {
    layout = new Layout(temp.toRealPath());
  }

  private void crash(String version, String at, List<Home> homes, Wishes wishes)
      throws IOException {
    Installer installer =
        layout.installer(
            version,
            step -> {
              if (step.equals(at)) {
                throw new Crash();
              }
            });
    assertThat(catchThrowable(() -> installer.install(homes, wishes, s -> {})))
        .isInstanceOf(Crash.class);
  }

  private int salus(String... arguments) {
    return Salus.commandLine()
        .setOut(new PrintWriter(new StringWriter()))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private int uninstall() {
    return salus("uninstall", "--hadoop", layout.hadoop + "", "--hbase", layout.hbase + "");
  }

  @Test
  void anInstallThatDaemonsMayUseIsNotUndoneBeforeTheVolumesAreKnown() throws IOException {
    crash("1.0", "put " + layout.hbaseSite(), layout.homes(), Layout.USER);
    Map<String, String> cutOff = layout.files();
    assertThat(uninstall()).isEqualTo(Salus.FAILED);
    assertThat(err.toString())
        .contains("whether there are volumes is not known, so nothing was touched");
    assertThat(layout.files()).isEqualTo(cutOff);
  }

  @Test
  void anInstallThatNoDaemonCanUseYetIsUndoneUnasked() throws IOException {
    Map<String, String> before = layout.files();
    crash("1.0", "put " + layout.hdfsSite(), layout.homes(), Layout.USER);
    assertThat(uninstall()).as(err.toString()).isZero();
    assertThat(layout.files()).isEqualTo(before);
  }

  @Test
  void anInstallIsNotUndoneForOneThatWouldBeRefused() throws IOException {
    List<Home> hadoop = List.of(layout.homes().get(0));
    crash("1.0", "done", hadoop, new Wishes("zk1:2181", "hbase", false));
    Map<String, String> cutOff = layout.files();
    assertThat(salus("install", "--hadoop", layout.hadoop + "")).isEqualTo(Salus.FAILED);
    assertThat(err.toString()).contains("say who runs the region servers with --hbase-user");
    assertThat(layout.files()).isEqualTo(cutOff);
  }

  @Test
  void jarsOfAnotherSalusDoNotComeBackBeforeItIsAskedForServers() throws IOException {
    layout.installer("1.0").install(layout.homes(), Layout.USER, s -> {});
    crash("2.0", "done", layout.homes(), Layout.USER);
    salus(
        "install",
        "--hadoop",
        layout.hadoop + "",
        "--hbase",
        layout.hbase + "",
        "--hbase-user",
        "hbase");
    assertThat(err.toString())
        .containsSubsequence("whether servers of Salus run is not known", "it is undone now");
  }
}
