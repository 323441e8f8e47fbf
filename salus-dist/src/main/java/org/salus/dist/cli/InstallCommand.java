package org.salus.dist.cli;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.salus.dist.hbase.LocalCluster;
import org.salus.dist.install.Home;
import org.salus.dist.install.Installer;
import org.salus.dist.install.Jars;
import org.salus.dist.install.Plan;
import org.salus.dist.install.Product;
import org.salus.dist.install.Wishes;
import org.salus.host.config.Quorum;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus install}: puts Salus into an existing Hadoop and HBase. */
@Command(
    name = "install",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Puts Salus into an existing Hadoop 3.4 and HBase 2.6: jars on their class paths, and settings in hdfs-site.xml and hbase-site.xml. All else in these files stays byte for byte.",
      "Run it on every host whose daemons read these files, as who owns them, or as root. It starts and stops nothing; it says which daemons to restart, and what to do then.",
      "It is whole or not at all: a run that was cut off is undone by the next one. A second run does nothing.",
      "To upgrade, stop all clients and daemons, run 'install' of the newer Salus on all hosts, and start them. It refuses while servers of Salus run."
    },
    footer = {
      "",
      "Examples:",
      "  salus install --hadoop /opt/hadoop --hbase /opt/hbase --dry-run",
      "  salus install --hadoop /opt/hadoop --hbase /opt/hbase",
      "  salus install --hadoop /usr/lib/hadoop-hdfs --hadoop-conf /etc/hadoop/conf --zookeeper zk1:2181,zk2:2181 --hbase-user hbase"
    })
final class InstallCommand implements Callable<Integer> {
  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Mixin private HomeOptions homeOptions;

  @Option(
      names = "--hadoop-conf",
      paramLabel = "DIR",
      description = "Where hdfs-site.xml is (default: etc/hadoop below --hadoop).")
  private Path hadoopConf;

  @Option(
      names = "--hbase-conf",
      paramLabel = "DIR",
      description = "Where hbase-site.xml is (default: conf below --hbase).")
  private Path hbaseConf;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT[,...]",
      description = "The servers of HBase's ZooKeeper (default: those in hbase-site.xml).")
  private String zookeeper;

  @Option(
      names = "--hbase-user",
      paramLabel = "USER",
      description =
          "Who runs the region servers; may read the files of the DataNode beside it (default: the owner of logs below --hbase, or of --hbase).")
  private String hbaseUser;

  @Option(
      names = "--downgrade",
      description =
          "Let this Salus replace a newer one. It may not read what that one has written.")
  private boolean downgrade;

  @Option(
      names = "--dry-run",
      description =
          "Print the difference of every file and all that would be done, and touch nothing.")
  private boolean dryRun;

  @Override
  public Integer call() throws IOException {
    Logging.errors(salus.verbose());
    requireQuorum();
    PrintWriter out = spec.commandLine().getOut();
    List<Home> homes = homeOptions.found(hadoopConf, hbaseConf);
    Wishes wishes = new Wishes(zookeeper, hbaseUser, downgrade);
    Installer installer = new Installer(jars());
    if (!dryRun) {
      recover(installer, homes, wishes);
    }
    List<Plan> plans = installer.planInstall(homes, wishes);
    if (plans.stream().allMatch(Plan::isEmpty)) {
      out.println("nothing is to be done: Salus " + installer.version() + " is installed");
    } else if (dryRun) {
      PlanText.whole(plans, out);
      nextSteps(homes, wishes, plans, out);
      Output.flush(out);
      requireStopped(plans);
      Installer.requirePossible(plans);
      out.println("nothing was touched; the same without --dry-run does this");
    } else {
      requireStopped(plans);
      List<Plan> done = installer.install(homes, wishes, this::say);
      PlanText.brief(done, out);
      nextSteps(homes, wishes, done, out);
    }
    Output.flush(out);
    return 0;
  }

  private void say(String what) {
    Salus.say(spec.commandLine().getErr(), what);
  }

  /** To undo a run that was cut off is a change like any other, so it is asked for before. */
  private void recover(Installer installer, List<Home> homes, Wishes wishes) throws IOException {
    Installer.requireWishes(homes, wishes);
    if (Installer.putsBack(homes)) {
      Map<String, String> settings = new HashMap<>();
      for (Home home : homes) {
        settings.putAll(home.settings());
      }
      RunningServers.requireNone(settings, this::say);
    }
    installer.recover(homes, this::say);
  }

  private void requireStopped(List<Plan> plans) throws IOException {
    if (plans.stream().anyMatch(Plan::replaces)) {
      Map<String, String> settings = new HashMap<>();
      for (Plan plan : plans) {
        settings.putAll(plan.settings());
      }
      RunningServers.requireNone(settings, this::say);
    }
  }

  private static void nextSteps(List<Home> homes, Wishes wishes, List<Plan> plans, PrintWriter out)
      throws IOException {
    boolean hasHBase = homes.stream().anyMatch(h -> h.product() == Product.HBASE);
    NextSteps.afterInstall(
        plans, hasHBase ? Installer.regionServerUser(homes, wishes).orElse("USER") : "", out);
  }

  private void requireQuorum() {
    try {
      if (zookeeper != null) {
        Quorum.parse(zookeeper);
      }
    } catch (IllegalArgumentException nonsense) {
      throw new ParameterException(spec.commandLine(), nonsense.getMessage(), nonsense);
    }
  }

  /** The jars of daemons that this program has. */
  private static Jars jars() {
    return new Jars(
        Arrays.stream(LocalCluster.daemonClassPath().split(File.pathSeparator))
            .map(Path::of)
            .toList());
  }
}
