package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.salus.dist.install.Home;
import org.salus.dist.install.Plan;
import org.salus.dist.install.Product;

/** Prints what an operator does after {@code salus install} and {@code salus uninstall}. */
final class NextSteps {
  private static final String HTTP = "dfs.namenode.http-address";
  private static final String ROLLING =
      "Next, when all hosts are so far, restart one by one, and wait until each is back:";

  private static final String UPGRADE =
      "Next, when all hosts are so far, start these, which must not run before:";

  /** This program as it was started. */
  private static final String PROGRAM = quoted(System.getProperty("salus.program", "salus"));

  private NextSteps() {}

  /** A word of a command for a shell. */
  private static String quoted(String word) {
    return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  /**
   * After an install.
   *
   * @param user who runs the region servers of the HBase that is among the places
   */
  static void afterInstall(List<Plan> done, String user, PrintWriter out) throws IOException {
    List<Home> homes = done.stream().map(Plan::home).toList();
    boolean isUpgrade = done.stream().anyMatch(Plan::replaces);
    // Versions of Salus do not work together.
    out.println(isUpgrade ? UPGRADE : ROLLING);
    restarts(homes, out);
    String conf = conf(homes);
    if (conf.isEmpty()) {
      return;
    }
    if (!isUpgrade) {
      out.println("Then, unless HBase's user may write into / of HDFS, as a superuser of HDFS:");
      out.println("  hdfs dfs -mkdir /salus");
      out.println("  hdfs dfs -chown " + quoted(user) + " /salus");
      out.println("  hdfs dfs -chmod 700 /salus");
    }
    out.println("Then:");
    out.println("  " + PROGRAM + " doctor" + conf + http(done));
    if (!isUpgrade) {
      out.println("  " + PROGRAM + " volume create disk1:10G" + conf);
    }
  }

  static void afterUninstall(List<Home> homes, PrintWriter out) {
    out.println(ROLLING);
    restarts(homes, out);
  }

  private static String conf(List<Home> homes) {
    return homes.stream()
        .filter(h -> h.product() == Product.HBASE)
        .map(h -> " --conf " + quoted(h.site().toString()))
        .findFirst()
        .orElse("");
  }

  /** Where the doctor finds a NameNode that is not at the usual port. */
  private static String http(List<Plan> done) throws IOException {
    for (Plan p : done) {
      if (p.home().product() == Product.HADOOP) {
        String set = p.settings().getOrDefault(HTTP, "");
        return set.isEmpty() ? "" : " -D " + quoted(HTTP + "=" + set);
      }
    }
    return "";
  }

  /** How daemons are restarted, the first ones first. */
  private static void restarts(List<Home> homes, PrintWriter out) {
    if (homes.stream().anyMatch(h -> h.product() == Product.HADOOP)) {
      out.println("  - each NameNode, the standby before the active one; each is back when");
      out.println("    'hdfs dfsadmin -safemode wait' returns; a single one stops HDFS until then");
      out.println("  - the SecondaryNameNode, if there is one");
      out.println("  - each DataNode");
    }
    if (homes.stream().anyMatch(h -> h.product() == Product.HBASE)) {
      out.println("  - each HBase master, the backup before the active one");
      out.println(
          "  - each region server, and each REST and Thrift server with this hbase-site.xml");
    }
  }
}
