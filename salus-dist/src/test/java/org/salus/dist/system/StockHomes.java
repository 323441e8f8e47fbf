package org.salus.dist.system;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.salus.dist.hbase.LocalCluster;
import org.salus.dist.need.Need;
import org.salus.dist.need.Needs;

/**
 * A Hadoop and an HBase in directories as their archives have them, with one hdfs-site.xml and one
 * hbase-site.xml without Salus for all daemons of a cluster. What differs from daemon to daemon is
 * a variable in them.
 */
final class StockHomes {
  private static final String DATANODE = "datanode";
  private static final String SERVER = "regionserver";
  private static final String MASTER = "master";
  private static final String NAMENODE = "namenode";

  /** A coprocessor of HBase's own, beside which Salus' come. */
  private static final String COPROCESSOR =
      "org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint";

  private final LocalCluster cluster;
  private final Path hadoop;
  private final Path hbase;

  /** By daemon. */
  private final Map<String, Map<String, String>> variables = new TreeMap<>();

  /**
   * Lays them out.
   *
   * @param cluster it has been started before, with this many servers
   */
  StockHomes(LocalCluster cluster, int servers) throws IOException {
    this.cluster = cluster;
    hadoop = cluster.dir().resolve("stock/hadoop-3.4.3");
    hbase = cluster.dir().resolve("stock/hbase-2.6.4-hadoop3");
    link(hadoop.resolve("share/hadoop/hdfs"), jar -> jar.startsWith("hadoop-hdfs-"));
    link(hadoop.resolve("share/hadoop/common"), jar -> jar.startsWith("hadoop-common-"));
    link(
        hadoop.resolve("share/hadoop/common/lib"),
        jar -> !jar.matches("(hadoop-(hdfs|common)|hbase)-.*") && isOfOthers(jar));
    Files.createDirectories(hadoop.resolve("share/hadoop/hdfs/lib"));
    link(hbase.resolve("lib"), StockHomes::isOfOthers);
    for (Path pages :
        List.of(
            hadoop.resolve("share/hadoop/hdfs/webapps/hdfs"),
            hadoop.resolve("share/hadoop/hdfs/webapps/datanode"),
            hbase.resolve("hbase-webapps/master"),
            hbase.resolve("hbase-webapps/regionserver"))) {
      Files.createDirectories(pages);
    }
    write(hdfsSite(), NAMENODE, DATANODE, servers, new TreeMap<>());
    Map<String, String> more = new TreeMap<>();
    more.put("hbase.cluster.distributed", "true");
    more.put("hbase.coprocessor.user.region.classes", COPROCESSOR);
    write(hbaseSite(), MASTER, SERVER, servers, more);
  }

  /** Hadoop and HBase have all libraries but these. */
  private static boolean isOfOthers(String jar) {
    return !jar.matches("(salus|HdrHistogram|jna|picocli)-.*");
  }

  private static void link(Path dir, Predicate<String> which) throws IOException {
    Files.createDirectories(dir);
    for (String entry : LocalCluster.daemonClassPath().split(File.pathSeparator)) {
      Path jar = Path.of(entry).toAbsolutePath();
      String name = jar.getFileName().toString();
      if (name.endsWith(".jar") && which.test(name)) {
        Files.createSymbolicLink(dir.resolve(name), jar);
      }
    }
  }

  Path hadoop() {
    return hadoop;
  }

  Path hbase() {
    return hbase;
  }

  Path hdfsSite() {
    return hadoop.resolve("etc/hadoop/hdfs-site.xml");
  }

  Path hbaseSite() {
    return hbase.resolve("conf/hbase-site.xml");
  }

  private void write(Path site, String one, String many, int count, Map<String, String> settings)
      throws IOException {
    Map<String, Configuration> daemons = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      daemons.put(many + i, read(many + i));
    }
    daemons.put(one, read(one));
    Configuration defaults = HBaseConfiguration.create(new HdfsConfiguration());
    Configuration first = daemons.get(many + 0);
    TreeSet<String> keys = new TreeSet<>();
    daemons.values().forEach(c -> c.forEach(e -> keys.add(e.getKey())));
    keys.removeAll(ofSalus());
    keys.removeAll(settings.keySet());
    for (String key : keys) {
      List<String> values = daemons.values().stream().map(c -> c.getRaw(key)).distinct().toList();
      if (values.size() > 1) {
        daemons.forEach((name, c) -> variable(name, key, c.getRaw(key), first.getRaw(key)));
        settings.put(key, "${of." + key + "}");
      } else if (!values.get(0).equals(defaults.getRaw(key))) {
        settings.put(key, values.get(0));
      }
    }
    Configuration file = new Configuration(false);
    settings.forEach(file::set);
    Files.createDirectories(site.getParent());
    try (OutputStream to = Files.newOutputStream(site)) {
      file.writeXml(to);
    }
    Files.writeString(site.resolveSibling("log4j.properties"), StockDaemon.LOG4J);
  }

  private void variable(String daemon, String key, String own, String usual) {
    variables
        .computeIfAbsent(daemon, d -> new TreeMap<>())
        .put("of." + key, own == null ? usual : own);
  }

  private Configuration read(String daemon) {
    Configuration conf = new Configuration(false);
    conf.addResource(
        new org.apache.hadoop.fs.Path(cluster.dir().resolve("conf/" + daemon + ".xml").toUri()));
    return conf;
  }

  /** The settings that 'salus install' makes. */
  private static List<String> ofSalus() {
    return Stream.of(
            Stream.of(
                    Needs.STOCK_NAMENODE,
                    Needs.KEYS,
                    Needs.NO_DYNAMIC_JARS,
                    Needs.METRICS,
                    Needs.POWER_CUTS)
                .flatMap(List::stream)
                .map(Need::key),
            Stream.of(Needs.LOCAL_READERS, "salus.zookeeper.quorum"))
        .flatMap(s -> s)
        .toList();
  }

  StockDaemon nameNode() throws IOException {
    return hdfs(NAMENODE, NameNode.class);
  }

  StockDaemon dataNode(int i) throws IOException {
    return hdfs(DATANODE + i, DataNode.class);
  }

  StockDaemon master() throws IOException {
    return ofHBase(MASTER, HMaster.class, "384m");
  }

  StockDaemon regionServer(int i) throws IOException {
    return ofHBase(SERVER + i, HRegionServer.class, "512m");
  }

  /** The class path of bin/hdfs. */
  private StockDaemon hdfs(String name, Class<?> main) throws IOException {
    Path share = hadoop.resolve("share/hadoop");
    return start(
        name,
        List.of("-Xmx256m"),
        List.of(
            hadoop.resolve("etc/hadoop"),
            share.resolve("common/lib/*"),
            share.resolve("common/*"),
            share.resolve("hdfs"),
            share.resolve("hdfs/lib/*"),
            share.resolve("hdfs/*")),
        main,
        List.of());
  }

  /** The class path of bin/hbase. */
  private StockDaemon ofHBase(String name, Class<?> main, String heap) throws IOException {
    return start(
        name,
        List.of("-Xmx" + heap),
        List.of(hbase.resolve("conf"), hbase, hbase.resolve("lib/*")),
        main,
        List.of("start"));
  }

  private StockDaemon start(
      String name, List<String> jvm, List<Path> classPath, Class<?> main, List<String> arguments)
      throws IOException {
    List<String> options = new ArrayList<>(jvm);
    variables
        .getOrDefault(name, Map.of())
        .forEach((key, value) -> options.add("-D" + key + "=" + value));
    return StockDaemon.start(
        cluster.dir().resolve("stock").resolve(name + ".out"),
        options,
        String.join(File.pathSeparator, classPath.stream().map(Path::toString).toList()),
        main,
        arguments);
  }

  /** All files of both, and what is in those that are not links. */
  Map<String, String> files() throws IOException {
    Map<String, String> all = new TreeMap<>();
    for (Path root : List.of(hadoop, hbase)) {
      try (Stream<Path> files = Files.walk(root)) {
        for (Path f : files.toList()) {
          all.put(
              f.toString(),
              Files.isSymbolicLink(f) || Files.isDirectory(f)
                  ? ""
                  : Arrays.hashCode(Files.readAllBytes(f)) + "");
        }
      }
    }
    return all;
  }
}
