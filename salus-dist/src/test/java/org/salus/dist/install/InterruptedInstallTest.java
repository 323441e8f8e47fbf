package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run that ends anywhere is undone by the next one, whichever that is. */
class InterruptedInstallTest {
  @TempDir(factory = InMemory.class)
  Path temp;

  /** What a crash is to the code: nothing of it runs after that. */
  private static final class Crash extends Error {
    private static final long serialVersionUID = 1L;
  }

  private final List<String> progress = new ArrayList<>();

  /** One kind of run, until a step at which it ends. */
  private interface Run {
    void with(Transaction.Step step) throws IOException;
  }

  /** Counts the steps of a run, and ends it before one of them. */
  private static boolean crashes(int at, Run run) throws IOException {
    int[] steps = {0};
    try {
      run.with(
          step -> {
            if (steps[0]++ == at) {
              throw new Crash();
            }
          });
      return false;
    } catch (Crash crash) {
      return true;
    }
  }

  private void install(Layout layout, String version, Transaction.Step step) throws IOException {
    layout.installer(version, step).install(layout.homes(), Layout.USER, progress::add);
  }

  private void uninstall(Layout layout, Transaction.Step step) throws IOException {
    layout.installer("1.0", step).recover(layout.installed(), progress::add);
    layout.installer("1.0", step).uninstall(layout.installed(), progress::add);
  }

  private Layout layout(String name) throws IOException {
    return new Layout(Files.createDirectories(temp.toRealPath().resolve(name)).toRealPath());
  }

  @Test
  void anInstallThatIsCutOffIsWholeAfterTheNextOneAndGoneAfterAnUninstall() throws IOException {
    Layout model = layout("model");
    Map<String, String> before = model.files();
    install(model, "1.0", step -> {});
    Map<String, String> whole = files(model);
    int at = 0;
    for (boolean crashed = true; crashed; at++) {
      Layout again = layout("again" + at);
      crashed = crashes(at, step -> install(again, "1.0", step));
      install(again, "1.0", step -> {});
      assertThat(files(again)).as("cut off at %d", at).isEqualTo(whole);
      Layout gone = layout("gone" + at);
      crashes(at, step -> install(gone, "1.0", step));
      uninstall(gone, step -> {});
      assertThat(gone.files()).as("cut off at %d", at).isEqualTo(before);
    }
    assertThat(at).isGreaterThan(30);
    assertThat(progress)
        .contains(
            "an earlier 'salus install' was cut off; it is undone now",
            "an earlier 'salus install' was cut off when all was done: restart the daemons if you"
                + " have not since");
  }

  @Test
  void anUpgradeThatIsCutOffIsWholeAfterTheNextOne() throws IOException {
    Layout model = layout("model");
    install(model, "1.0", step -> {});
    install(model, "2.0", step -> {});
    Map<String, String> whole = files(model);
    int at = 0;
    for (boolean crashed = true; crashed; at++) {
      Layout again = layout("again" + at);
      install(again, "1.0", step -> {});
      crashed = crashes(at, step -> install(again, "2.0", step));
      install(again, "2.0", step -> {});
      assertThat(files(again)).as("cut off at %d", at).isEqualTo(whole);
    }
    assertThat(at).isGreaterThan(35);
  }

  @Test
  void anUninstallThatIsCutOffIsDoneAfterTheNextOne() throws IOException {
    Map<String, String> before = layout("model").files();
    int at = 0;
    for (boolean crashed = true; crashed; at++) {
      Layout again = layout("again" + at);
      install(again, "1.0", step -> {});
      crashed = crashes(at, step -> uninstall(again, step));
      uninstall(again, step -> {});
      assertThat(again.files()).as("cut off at %d", at).isEqualTo(before);
    }
    assertThat(at).isGreaterThan(20);
  }

  @Test
  void aRunThatEndsTwiceIsWholeAfterTheThird() throws IOException {
    Layout model = layout("model");
    install(model, "1.0", step -> {});
    Map<String, String> whole = files(model);
    for (int first = 0; first < 40; first += 7) {
      for (int second = 0; second < 12; second += 3) {
        Layout again = layout("again" + first + "-" + second);
        int at = first;
        int then = second;
        crashes(at, step -> install(again, "1.0", step));
        crashes(then, step -> install(again, "1.0", step));
        install(again, "1.0", step -> {});
        assertThat(files(again)).as("cut off at %d and %d", at, then).isEqualTo(whole);
      }
    }
  }

  /** Without the names of the layout in the manifests. */
  private static Map<String, String> files(Layout layout) throws IOException {
    Map<String, String> files = layout.files();
    files.replaceAll((name, content) -> content.replace(layout.dir.toString(), "DIR"));
    return files;
  }
}
