package org.salus.dist.system;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.salus.datanode.hdfs.GuardedDataset;
import org.salus.dist.hbase.LocalCluster;

/**
 * A daemon of HDFS as others run it: its own main class, a hdfs-site.xml on its class path, and
 * Salus' jars beside Hadoop's.
 */
final class StockDaemon implements AutoCloseable {
  private final Path out;
  private final Process process;

  /**
   * Starts a daemon in the place of one of a cluster.
   *
   * @param name of the cluster's daemon, which does not run
   * @param main the class
   * @param more settings besides those of the cluster's daemon
   * @param arguments of the daemon
   */
  static StockDaemon start(
      LocalCluster cluster,
      String name,
      Class<?> main,
      Map<String, String> more,
      String... arguments)
      throws IOException {
    Configuration conf = new Configuration(false);
    conf.addResource(
        new org.apache.hadoop.fs.Path(cluster.dir().resolve("conf/" + name + ".xml").toUri()));
    more.forEach(conf::set);
    Path site = Files.createDirectories(cluster.dir().resolve("stock").resolve(name));
    try (OutputStream to = Files.newOutputStream(site.resolve("hdfs-site.xml"))) {
      conf.writeXml(to);
    }
    for (String pages : List.of("webapps/hdfs", "webapps/datanode", "webapps/journal")) {
      Files.createDirectories(site.resolve(pages)); // HDFS does not start without
    }
    Files.writeString(
        site.resolve("log4j.properties"),
        "log4j.rootLogger=INFO,out\n"
            + "log4j.appender.out=org.apache.log4j.ConsoleAppender\n"
            + "log4j.appender.out.layout=org.apache.log4j.PatternLayout\n"
            + "log4j.appender.out.layout.ConversionPattern=%d %p %c{2}: %m%n\n");
    return new StockDaemon(site, main, arguments);
  }

  /** Starts a DataNode in the place of one of a cluster, with what members need of it. */
  static StockDaemon startDataNode(LocalCluster cluster, int i) throws IOException {
    return start(
        cluster,
        "datanode" + i,
        DataNode.class,
        Map.of(DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY, GuardedDataset.class.getName()));
  }

  private StockDaemon(Path site, Class<?> main, String... arguments) throws IOException {
    out = site.resolveSibling(site.getFileName() + ".out");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"));
    command.add("--add-opens=java.base/java.lang=ALL-UNNAMED"); // WebHDFS needs it on Java 17
    command.add("-cp");
    command.add(site + File.pathSeparator + classPath());
    command.add(main.getName());
    command.addAll(List.of(arguments));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(out.toFile()))
            .start();
  }

  /** What an operator has on it: Hadoop's libraries, and as few jars of Salus as do. */
  private static String classPath() {
    return Arrays.stream(LocalCluster.daemonClassPath().split(File.pathSeparator))
        .filter(entry -> isHadoops(Path.of(entry).getFileName().toString()))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean isHadoops(String jar) {
    return !jar.startsWith("hbase-")
        && (!jar.startsWith("salus-")
            || Stream.of("salus-core-", "salus-host-", "salus-datanode-")
                .anyMatch(jar::startsWith));
  }

  Process process() {
    return process;
  }

  /** All that the daemons of this name have said. */
  String said() throws IOException {
    return Files.readString(out);
  }

  /** Kills it, as a power cut would. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
