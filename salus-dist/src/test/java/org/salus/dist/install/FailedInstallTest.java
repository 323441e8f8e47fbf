package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A change that fails is put back, and what somebody else changes meanwhile is not lost. */
class FailedInstallTest {
  private static final String MORE = "<!-- more -->\n";

  @TempDir(factory = InMemory.class)
  Path temp;

  private final List<String> progress = new ArrayList<>();
  private Layout layout;

  /** What a crash is to the code: nothing of it runs after that. */
  private static final class Crash extends Error {
    private static final long serialVersionUID = 1L;
  }

  @BeforeEach
  void layOut() throws IOException {
    layout = layout("one");
  }

  private Layout layout(String name) throws IOException {
    return new Layout(Files.createDirectories(temp.toRealPath().resolve(name)).toRealPath());
  }

  private void install(Layout in, String version, Transaction.Step step) throws IOException {
    in.installer(version, step).install(in.homes(), Layout.USER, progress::add);
  }

  private void uninstall(Layout in, Transaction.Step step) throws IOException {
    in.installer("1.0", step).recover(in.installed(), progress::add);
    in.installer("1.0", step).uninstall(in.installed(), progress::add);
  }

  /** Ends the run before a step of this name. */
  private static Transaction.Step crashAt(String name) {
    return step -> {
      if (step.equals(name)) {
        throw new Crash();
      }
    };
  }

  /** Fails at one step, and crashes at one after that. */
  private static Transaction.Step failAt(int at, int crashAfter) {
    int[] steps = {0};
    return step -> {
      int now = steps[0]++;
      if (now == at) {
        throw new IOException("device or resource busy");
      }
      if (now == at + crashAfter) {
        throw new Crash();
      }
    };
  }

  /** What is run to its end or to a failure. */
  private interface Run {
    void with(Layout in, Transaction.Step step) throws IOException;
  }

  /** Fails at every step of a run. After that, all is as before, or as after it. */
  private void failsEverywhere(String name, Run prepare, Run run) throws IOException {
    Layout model = layout(name + "model");
    prepare.with(model, step -> {});
    Map<String, String> before = files(model);
    run.with(model, step -> {});
    Map<String, String> after = files(model);
    int putBack = 0;
    Throwable failed = new Crash();
    for (int at = 0; failed != null; at++) {
      Layout in = layout(name + at);
      prepare.with(in, step -> {});
      Transaction.Step step = failAt(at, Integer.MAX_VALUE / 2);
      failed = catchThrowable(() -> run.with(in, step));
      if (failed == null) {
        assertThat(files(in)).isEqualTo(after);
      } else if (failed.getMessage().startsWith("nothing was changed: ")) {
        putBack++;
        assertThat(files(in)).as("failed at %d", at).isEqualTo(before);
      } else {
        assertThat(failed).hasMessageEndingWith("run the same again: it goes on");
        run.with(in, s -> {});
        assertThat(files(in)).as("failed at %d and run again", at).isEqualTo(after);
      }
    }
    assertThat(putBack).isGreaterThan(20);
  }

  @Test
  void anInstallThatFailsLeavesNothing() throws IOException {
    failsEverywhere("i", (in, step) -> {}, (in, step) -> install(in, "1.0", step));
  }

  @Test
  void anUpgradeThatFailsLeavesTheOldOne() throws IOException {
    failsEverywhere("u", (in, s) -> install(in, "1.0", s), (in, step) -> install(in, "2.0", step));
  }

  @Test
  void anUninstallThatFailsLeavesAll() throws IOException {
    failsEverywhere("o", (in, s) -> install(in, "1.0", s), this::uninstall);
  }

  @Test
  void whatIsPutBackWhenARunEndsIsPutBackByTheNextOne() throws IOException {
    Layout model = layout("model");
    install(model, "1.0", step -> {});
    Map<String, String> before = files(model);
    for (int crash = 1; crash < 60; crash += 4) {
      Layout in = layout("again" + crash);
      install(in, "1.0", step -> {});
      int[] sinceFailure = {-1};
      int end = crash;
      assertThat(
              catchThrowable(
                  () ->
                      install(
                          in,
                          "2.0",
                          step -> {
                            if (sinceFailure[0] < 0
                                && step.startsWith("delete ")
                                && step.endsWith("lib/salus-core-1.0.jar")) {
                              sinceFailure[0] = 0;
                              throw new IOException("device or resource busy");
                            }
                            if (sinceFailure[0] >= 0 && sinceFailure[0]++ == end) {
                              throw new Crash();
                            }
                          })))
          .isNotNull();
      in.installer("2.0").recover(in.installed(), progress::add);
      assertThat(files(in)).as("ended %d later", crash).isEqualTo(before);
    }
    assertThat(progress).contains("an earlier 'salus install' was cut off; it is undone now");
  }

  @Test
  void aFileThatCannotBeReplacedIsToldAndAllIsPutBack() throws IOException {
    Map<String, String> before = layout.files();
    assertThatThrownBy(
            () ->
                install(
                    layout,
                    "1.0",
                    step -> {
                      if (step.equals("put " + layout.hbaseSite())) {
                        throw new IOException(layout.hbaseSite() + ": Device or resource busy");
                      }
                    }))
        .hasMessage("nothing was changed: " + layout.hbaseSite() + ": Device or resource busy");
    assertThat(layout.files()).isEqualTo(before);
    install(layout, "1.0", step -> {});
    assertThat(progress).isEmpty();
  }

  @Test
  void whatCannotBePutBackEitherIsPutBackByTheNextRun() throws IOException {
    Path site = layout.hbaseSite();
    Path away = site.resolveSibling("away");
    assertThatThrownBy(
            () ->
                install(
                    layout,
                    "1.0",
                    step -> {
                      if (step.equals("put " + site)) {
                        Files.move(site, away);
                        Files.createDirectory(site); // nobody can read that as a file
                      }
                    }))
        .hasMessageStartingWith("not all is done: ")
        .hasMessageContaining("; nor is all put back: ")
        .hasMessageEndingWith("run the same again: it goes on");
    Files.delete(site);
    Files.move(away, site);
    assertThatThrownBy(() -> layout.installer("1.0").planInstall(layout.homes(), Layout.USER))
        .hasMessageContaining("an earlier run was cut off");
    install(layout, "1.0", step -> {});
    assertThat(progress)
        .containsExactly("an earlier 'salus install' was cut off; it is undone now");
    assertThat(layout.installer("1.0").planInstall(layout.homes(), Layout.USER))
        .allMatch(Plan::isEmpty);
  }

  @Test
  void whatSomebodyChangesAfterACrashIsNotLost() throws IOException {
    boolean crashed = true;
    for (int at = 0; crashed; at++) {
      Layout in = layout("changed" + at);
      int end = at;
      crashed = catchThrowable(() -> install(in, "1.0", failAt(-1, end + 1))) != null;
      Files.writeString(in.hbaseSite(), Files.readString(in.hbaseSite()) + MORE);
      in.installer("1.0").recover(in.installed(), progress::add);
      assertThat(in.files().entrySet())
          .as("cut off at %d", at)
          .anyMatch(e -> e.getKey().contains("hbase-site.xml") && e.getValue().endsWith(MORE));
      assertThat(in.files().keySet()).noneMatch(n -> n.contains("salus-staged"));
      install(in, "1.0", step -> {});
    }
    assertThat(progress)
        .anyMatch(p -> p.contains("while this was at work: it stays, and how it was is in "));
  }

  @Test
  void whatOthersHaveWrittenSinceACrashStaysAndIsExtended() throws IOException {
    assertThat(catchThrowable(() -> install(layout, "1.0", crashAt("put " + layout.hdfsSite()))))
        .isInstanceOf(Crash.class);
    String theirs = "<configuration></configuration>" + MORE;
    Files.writeString(layout.hdfsSite(), theirs);
    install(layout, "1.0", step -> {});
    assertThat(Files.readString(layout.hdfsSite())).contains("GuardPlugin").endsWith(MORE);
    assertThat(progress)
        .containsExactly("an earlier 'salus install' was cut off; it is undone now");
    uninstall(layout, step -> {});
    assertThat(layout.hdfsSite()).hasContent(theirs);
  }

  @Test
  void settingsThatOthersHaveTakenOverAreNotLeftWithoutJars() throws IOException {
    assertThat(catchThrowable(() -> install(layout, "1.0", crashAt("done"))))
        .isInstanceOf(Crash.class);
    Files.writeString(layout.hdfsSite(), Files.readString(layout.hdfsSite()) + MORE);
    layout.installer("1.0").recover(layout.installed(), progress::add);
    assertThat(layout.hadoopJars().resolve("salus-core-1.0.jar")).exists();
    assertThat(layout.hbase.resolve("lib/salus-core-1.0.jar")).doesNotExist();
    uninstall(layout, step -> {});
    assertThat(layout.hdfsSite()).hasContent(Layout.HDFS_SITE + MORE);
    assertThat(layout.hadoopJars().resolve("salus-core-1.0.jar")).doesNotExist();
  }

  @Test
  void anUninstallThatIsCutOffIsPutBackSoThatTheNextOneCanAsk() throws IOException {
    install(layout, "1.0", step -> {});
    Map<String, String> whole = layout.files();
    for (Path last : List.of(layout.hdfsSite(), layout.hbase.resolve("lib/jna-3.0.jar"))) {
      String name = (last.toString().endsWith(".xml") ? "put " : "delete ") + last;
      assertThat(catchThrowable(() -> uninstall(layout, crashAt(name)))).isInstanceOf(Crash.class);
      layout.installer("1.0").recover(layout.installed(), progress::add);
      assertThat(layout.files()).isEqualTo(whole);
    }
    assertThat(progress).containsOnly("an earlier 'salus uninstall' was cut off; it is undone now");
  }

  @Test
  void aPlaceWhereARunHasEndedIsNotTouchedByItsRecovery() throws IOException {
    Home hbase = layout.homes().get(1);
    Path first = layout.homes().get(0).journal();
    assertThat(
            catchThrowable(
                () ->
                    install(
                        layout,
                        "1.0",
                        step -> {
                          if (step.equals("put " + layout.hbaseSite())) {
                            throw new IOException("Device or resource busy");
                          }
                          if (step.equals("end " + first)) {
                            throw new Crash();
                          }
                        })))
        .isInstanceOf(Crash.class);
    layout.installer("1.0").install(List.of(hbase), Layout.USER, progress::add);
    Map<String, String> alone = layout.files();
    alone.keySet().removeIf(name -> !name.startsWith("hbase"));
    assertThat(alone).containsKey("hbase/lib/salus-core-1.0.jar");
    layout.installer("1.0").recover(List.of(layout.homes().get(0)), progress::add);
    assertThat(first).doesNotExist();
    assertThat(layout.files()).containsAllEntriesOf(alone);
  }

  @Test
  void anEditWhileARunPlansOrStagesIsNotLost() throws IOException {
    for (String at : List.of("journal " + layout.homes().get(0).journal(), "put ")) {
      Path site = layout.hdfsSite();
      Files.writeString(site, Layout.HDFS_SITE);
      assertThatThrownBy(
              () ->
                  install(
                      layout,
                      "1.0",
                      step -> {
                        if (step.equals(at.equals("put ") ? at + site : at)) {
                          Files.writeString(site, Layout.HDFS_SITE + MORE);
                        }
                      }))
          .hasMessage(
              "nothing was changed: "
                  + site
                  + " was changed by somebody else while this was at work: run it again");
      assertThat(site).hasContent(Layout.HDFS_SITE + MORE);
      assertThat(layout.hadoop.resolve("salus-installed")).doesNotExist();
    }
  }

  @Test
  void aStagedFileThatIsGoneIsNoticedAndAllIsPutBack() throws IOException {
    Map<String, String> before = layout.files();
    assertThatThrownBy(
            () ->
                install(
                    layout,
                    "1.0",
                    step -> {
                      if (step.equals("put " + layout.hdfsSite())) {
                        Files.delete(Disk.staged(layout.hdfsSite()));
                      }
                    }))
        .hasMessageContaining("nothing was changed: ")
        .hasMessageContaining("hdfs-site.xml.salus-staged is gone");
    assertThat(layout.files()).isEqualTo(before);
  }

  @Test
  void aPlaceThatWasMovedIsNotRecoveredElsewhere() throws IOException {
    assertThat(catchThrowable(() -> install(layout, "1.0", crashAt("put " + layout.hdfsSite()))))
        .isInstanceOf(Crash.class);
    Path moved = Files.move(layout.hadoop, layout.dir.resolve("moved"));
    List<Home> homes = List.of(Home.installed(Product.HADOOP, moved));
    assertThatThrownBy(() -> layout.installer("1.0").recover(homes, progress::add))
        .hasMessageContaining("a run was cut off in " + layout.hadoop)
        .hasMessageContaining("move it back");
  }

  @Test
  void aFileOfSettingsOfAnotherNameIsPutBack() throws IOException {
    Path real = Files.move(layout.hdfsSite(), layout.dir.resolve("real.xml"));
    Files.createSymbolicLink(layout.hdfsSite(), real);
    Map<String, String> before = layout.files();
    String at = "put " + layout.hbaseSite();
    assertThatThrownBy(
            () ->
                install(
                    layout,
                    "1.0",
                    step -> {
                      if (step.equals(at)) {
                        throw new IOException("device or resource busy");
                      }
                    }))
        .hasMessage("nothing was changed: device or resource busy");
    assertThat(layout.files()).isEqualTo(before);
    assertThat(catchThrowable(() -> install(layout, "1.0", crashAt(at)))).isInstanceOf(Crash.class);
    layout.installer("1.0").recover(layout.installed(), progress::add);
    assertThat(layout.files()).isEqualTo(before);
    assertThat(real).hasContent(Layout.HDFS_SITE);
  }

  @Test
  void aRunThatFailsNeedsNotReadItsJournal() throws IOException {
    Map<String, String> before = layout.files();
    assertThatThrownBy(
            () ->
                install(
                    layout,
                    "1.0",
                    step -> {
                      if (step.equals("put " + layout.hbaseSite())) {
                        Files.writeString(layout.homes().get(0).journal(), "damaged");
                        throw new IOException("device or resource busy");
                      }
                    }))
        .hasMessage("nothing was changed: device or resource busy");
    assertThat(layout.files()).isEqualTo(before);
  }

  @Test
  void aPlaceIsUndoneWhoseOtherPlaceIsGone() throws IOException {
    Map<String, String> before = layout.files();
    before.keySet().removeIf(name -> !name.startsWith("hbase"));
    for (String at : List.of("put " + layout.hbaseSite(), "done")) {
      assertThat(catchThrowable(() -> install(layout, "1.0", crashAt(at))))
          .isInstanceOf(Crash.class);
      Path away = Files.move(layout.hadoop, layout.dir.resolve(at.substring(0, 3)));
      List<Home> hbase = List.of(Home.installed(Product.HBASE, layout.hbase));
      layout.installer("1.0").recover(hbase, progress::add);
      assertThat(layout.files(layout.hbase)).isEqualTo(before);
      Files.move(away, layout.hadoop);
      layout
          .installer("1.0")
          .recover(List.of(Home.installed(Product.HADOOP, layout.hadoop)), progress::add);
      assertThat(layout.hdfsSite()).hasContent(Layout.HDFS_SITE);
    }
    assertThat(progress)
        .hasSize(4)
        .containsOnly("an earlier 'salus install' was cut off; it is undone now");
  }

  @Test
  void aRunIsNotFinishedInAPlaceWhereAnotherIsAtWork() throws IOException {
    assertThat(catchThrowable(() -> install(layout, "1.0", crashAt("put " + layout.hdfsSite()))))
        .isInstanceOf(Crash.class);
    Map<String, String> cutOff = layout.files();
    Installer installer = layout.installer("1.0");
    List<Home> hadoop = List.of(layout.homes().get(0));
    try (HomeLocks held = HomeLocks.of(List.of(layout.homes().get(1)))) {
      assertThat(held).isNotNull();
      assertThatThrownBy(() -> installer.recover(layout.installed(), progress::add))
          .hasMessageContaining("is at work in " + layout.hbase);
    }
    assertThatThrownBy(() -> installer.recover(hadoop, progress::add))
        .hasMessageEndingWith("give that as well, with --hbase " + layout.hbase);
    assertThat(layout.files()).isEqualTo(cutOff);
    installer.recover(layout.installed(), progress::add);
    assertThat(progress)
        .containsExactly("an earlier 'salus install' was cut off; it is undone now");
  }

  @Test
  void aJournalThatWasNotWrittenToItsEndLeavesNoTrace() throws IOException {
    Map<String, String> before = layout.files();
    Layout.write(layout.hadoop.resolve("salus-installed/hadoop/journal.new"), "what=");
    uninstall(layout, step -> {});
    layout.installer("1.0").uninstall(layout.installed(), progress::add);
    assertThat(layout.files()).isEqualTo(before);
  }

  /** Without the names of the layout in the manifests. */
  private static Map<String, String> files(Layout in) throws IOException {
    Map<String, String> files = in.files();
    files.replaceAll((name, content) -> content.replace(in.dir.toString(), "DIR"));
    return files;
  }
}
