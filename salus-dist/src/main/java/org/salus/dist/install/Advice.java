package org.salus.dist.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.salus.dist.need.Needs;
import org.salus.host.ServerPorts;
import org.salus.host.config.ClusterSettings;
import org.salus.host.config.ServerSettings;

/** What an operator has to know or to do besides, because no file can say it for all hosts. */
final class Advice {
  /** How a file of settings takes in one that only daemons can read. */
  static final String INCLUDE =
      "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\"salus/secret.xml\">"
          + "<xi:fallback/></xi:include>";

  private static final String SECRET_FILE = "salus/secret.xml";
  private static final String ALL_ADDRESSES = "0.0.0.0";
  private static final String DATA_PORT = "dfs.datanode.address";
  private static final String USUAL_DATA_PORT = "9866";
  private static final String DATA_NODE = "salus.server.datanode";

  private Advice() {}

  /** Sentences for whoever puts Salus into a place. */
  static List<String> of(Plan plan) throws IOException {
    List<String> all = new ArrayList<>();
    Home home = plan.home();
    Map<String, String> settings = plan.settings();
    if (settings.getOrDefault(ClusterSettings.SECRET.key(), "").isEmpty() && isReadable(plan)) {
      all.add(secret(home));
    }
    if (home.product() == Product.HADOOP) {
      dataPort(home, settings, all);
    } else {
      serverPort(home, settings, all);
    }
    Map<String, String> before = home.settings(SiteText.bytes(plan.before()));
    effects()
        .forEach(
            (key, words) -> {
              String now = settings.getOrDefault(key, "");
              if (!now.isEmpty() && !now.equals(before.get(key))) {
                all.add(key + " = " + now + " counts for all of " + words);
              }
            });
    return all;
  }

  /** Whether this user may look for the secret in a file of its own. */
  private static boolean isReadable(Plan plan) {
    Path dir = plan.home().site().resolveSibling(SECRET_FILE).getParent();
    return !plan.after().contains(SECRET_FILE) || !Files.exists(dir) || Files.isExecutable(dir);
  }

  private static String secret(Home home) {
    return home.site()
        + " has no "
        + ClusterSettings.SECRET.key()
        + ", so whoever reaches the servers can sign as anybody: put the same 32 random characters"
        + " into a file of their own on all hosts, salus/secret.xml beside it, in a directory that"
        + " only the daemons' users and those of salus may enter, and the line "
        + INCLUDE
        + " into it. Other clients of HDFS and HBase go on without";
  }

  /** What settings of Salus change for others. */
  private static Map<String, String> effects() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put(
        Needs.LONG_LEASES,
        "HDFS: a file that a client has left open stays open, unless somebody else writes it or"
            + " runs 'hdfs debug recoverLease -path FILE'");
    all.put(
        Needs.SYNC_ON_CLOSE, "HDFS: each block is on disk before it is closed, which takes longer");
    all.put(
        Needs.PLACEMENT,
        "HDFS, also for a SecondaryNameNode, and for 'hdfs balancer' and 'hdfs mover' on any host:"
            + " they need the jars, too");
    all.put(
        Needs.PROMETHEUS,
        "HDFS: its daemons show their metrics in /prom, too, to everybody who reaches their ports,"
            + " also where hadoop.security.instrumentation.requires.admin closes /jmx; if you do"
            + " not want that, set it to false yourself");
    all.put(
        Needs.DYNAMIC_JARS,
        "HBase: it no longer loads jars of coprocessors and filters from hbase.dynamic.jars.dir and"
            + " hbase.local.dir; if you need them, set it to true yourself");
    all.put(
        Needs.PAGES,
        "HBase, also for REST and Thrift servers with this hbase-site.xml: they need the jars, too");
    all.put(
        Needs.BALANCER,
        "HBase: it is the StochasticLoadBalancer for all tables but those of volumes");
    return all;
  }

  private static void dataPort(Home home, Map<String, String> settings, List<String> all) {
    String address = settings.getOrDefault(DATA_PORT, "");
    String port = address.substring(address.lastIndexOf(':') + 1);
    if (!port.isEmpty() && !port.equals(USUAL_DATA_PORT)) {
      all.add(
          home.site()
              + " has "
              + DATA_PORT
              + " = "
              + address
              + ": on each host, "
              + DATA_NODE
              + " in hbase-site.xml must be its DataNode's IP:"
              + port);
    }
  }

  private static void serverPort(Home home, Map<String, String> settings, List<String> all) {
    String key = ServerSettings.PORT.key();
    String port = settings.getOrDefault(key, ServerSettings.PORT.fallback());
    if (port.matches("[1-9][0-9]{0,4}")
        && !ServerPorts.isFree(ALL_ADDRESSES, Integer.parseInt(port))) {
      all.add(
          "somebody on this host listens at port "
              + port
              + "; if that is not a region server with Salus, set "
              + key
              + " in "
              + home.site()
              + " to another one");
    }
  }
}
