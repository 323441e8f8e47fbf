package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.dist.install.Home;
import org.salus.dist.install.Installer;
import org.salus.dist.install.Jars;
import org.salus.dist.install.Plan;
import org.salus.host.config.ClientSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus uninstall}: takes Salus out of a Hadoop and an HBase. */
@Command(
    name = "uninstall",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Takes out what 'salus install' has put into a Hadoop and an HBase: its jars and its settings. What somebody has changed since stays, and is told.",
      "It refuses while the cluster has volumes, for nothing would guard their files: delete them first, and stop all clients. It asks the cluster that the files of settings name.",
      "Restart all daemons then. It leaves /salus in HDFS, the nodes of Salus in ZooKeeper, and a file of your own with the secret."
    },
    footer = {
      "",
      "Examples:",
      "  salus uninstall --hadoop /opt/hadoop --hbase /opt/hbase --dry-run",
      "  salus uninstall --hadoop /opt/hadoop --hbase /opt/hbase"
    })
final class UninstallCommand implements Callable<Integer> {
  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Mixin private HomeOptions homeOptions;

  @Option(
      names = "--force",
      description =
          "Go on when the cluster cannot be asked. Files of volumes that it has are then without a guard.")
  private boolean force;

  @Option(names = "--dry-run", description = "Print what it would do, and touch nothing.")
  private boolean dryRun;

  @Override
  public Integer call() throws IOException {
    Logging.errors(salus.verbose());
    PrintWriter out = spec.commandLine().getOut();
    Installer installer = new Installer(new Jars(List.of()));
    if (!dryRun) {
      recover(installer, homeOptions.installed());
    }
    List<Home> homes = homeOptions.installed();
    if (Installer.isInstalled(homes)) {
      requireNoVolumes(settings(homes));
    }
    List<Plan> plans =
        dryRun ? installer.planUninstall(homes) : installer.uninstall(homes, this::say);
    if (plans.isEmpty()) {
      out.println("nothing is to be done: Salus is not installed there");
    } else if (dryRun) {
      PlanText.whole(plans, out);
      NextSteps.afterUninstall(homes, out);
      Output.flush(out);
      Installer.requirePossible(plans);
      out.println("nothing was touched; the same without --dry-run does this");
    } else {
      PlanText.brief(plans, out);
      NextSteps.afterUninstall(homes, out);
    }
    Output.flush(out);
    return 0;
  }

  private void say(String what) {
    Salus.say(spec.commandLine().getErr(), what);
  }

  /** To undo an install that was cut off takes Salus out, too, if daemons may have it already. */
  private void recover(Installer installer, List<Home> homes) throws IOException {
    if (Installer.takesOut(homes)) {
      Map<String, String> settings = settings(homes);
      if (settings.containsKey(ClientSettings.QUORUM.key())) {
        requireNoVolumes(settings);
      }
    }
    installer.recover(homes, this::say);
  }

  /** Refuses while there are volumes, also those of which ZooKeeper has lost the records. */
  private void requireNoVolumes(Map<String, String> settings) throws IOException {
    List<String> volumes;
    try {
      volumes = volumes(settings);
    } catch (SalusException | IOException | IllegalArgumentException unknown) {
      if (force) {
        say("whether there are volumes is not known: " + unknown.getMessage());
        return;
      }
      throw new IOException(
          "whether there are volumes is not known, so nothing was touched: "
              + unknown.getMessage()
              + "; start the cluster, or add --force",
          unknown);
    }
    if (!volumes.isEmpty()) {
      throw new IOException(
          "the cluster has volumes, so nothing was touched: "
              + String.join(", ", volumes)
              + "; delete them with 'salus volume delete' first");
    }
  }

  private static Map<String, String> settings(List<Home> homes) throws IOException {
    Map<String, String> settings = new HashMap<>();
    for (Path site : Installer.undoneSites(homes)) { // a place without a note does not know it
      settings.putAll(ClusterOptions.read(site));
    }
    for (Home home : homes) {
      if (home.site().toFile().canRead()) {
        settings.putAll(ClusterOptions.clients(home.settings()));
      }
    }
    return settings;
  }

  private static List<String> volumes(Map<String, String> settings) throws IOException {
    if (!settings.containsKey(ClientSettings.QUORUM.key())) {
      throw new IOException("no file of settings names " + ClientSettings.QUORUM.key());
    }
    try (SalusClient client = SalusClient.connect(settings)) {
      List<String> all = client.list();
      return all.isEmpty() ? client.repairs().withoutRecords() : all;
    }
  }
}
