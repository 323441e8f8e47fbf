package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.install.Home;
import org.salus.dist.install.Plan;
import org.salus.dist.install.Product;

class NextStepsTest {
  @TempDir Path temp;

  private List<String> after(boolean replaces) throws IOException {
    StringWriter out = new StringWriter();
    NextSteps.afterInstall(
        List.of(
            plan(Product.HADOOP, "hdfs-site.xml", replaces),
            plan(Product.HBASE, "hbase-site.xml", false)),
        "carol",
        new PrintWriter(out, true));
    return out.toString().lines().toList();
  }

  private Plan plan(Product product, String site, boolean replaces) throws IOException {
    Path file = Files.writeString(temp.resolve(site), "<configuration/>");
    Home home = new Home(product, temp, temp, temp, file);
    return new Plan(home, "<configuration/>", "<configuration/>", List.of(), replaces, List.of());
  }

  @Test
  void daemonsAreRestartedOneByOneAndTheDirectoryIsTheUsers() throws IOException {
    assertThat(after(false))
        .contains(
            "Next, when all hosts are so far, restart one by one, and wait until each is back:",
            "  - the SecondaryNameNode, if there is one",
            "  hdfs dfs -chown carol /salus",
            "  salus volume create disk1:10G --conf " + temp.resolve("hbase-site.xml"))
        .anyMatch(line -> line.contains("'hdfs dfsadmin -safemode wait'"));
  }

  @Test
  void whatIsPrintedCanBeGivenToAShell() throws IOException {
    temp = Files.createDirectory(temp.resolve("a b's"));
    assertThat(after(false))
        .contains(
            "  salus doctor --conf '"
                + temp.resolve("hbase-site.xml").toString().replace("'", "'\\''")
                + "'");
  }

  @Test
  void versionsAreNotMixedAndWhatIsThereIsNotMadeAgain() throws IOException {
    assertThat(after(true))
        .contains("  salus doctor --conf " + temp.resolve("hbase-site.xml"))
        .anyMatch(line -> line.contains("start these, which must not run before"))
        .noneMatch(line -> line.contains("one by one"))
        .noneMatch(line -> line.contains("mkdir") || line.contains("volume create"));
  }
}
