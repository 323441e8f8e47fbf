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
 * A daemon of HDFS or HBase as others run it: its own main class, a file of settings on its class
 * path, and Salus' jars beside its own.
 */
final class StockDaemon implements AutoCloseable {
  /** Logs to the output. */
  static final String LOG4J =
      "log4j.rootLogger=INFO,out\n"
          + "log4j.appender.out=org.apache.log4j.ConsoleAppender\n"
          + "log4j.appender.out.layout=org.apache.log4j.PatternLayout\n"
          + "log4j.appender.out.layout.ConversionPattern=%d %p %c{2}: %m%n\n";

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
    Files.writeString(site.resolve("log4j.properties"), LOG4J);
    return start(
        site.resolveSibling(site.getFileName() + ".out"),
        List.of("-Xmx256m"),
        site + File.pathSeparator + classPath(),
        main,
        List.of(arguments));
  }

  /** Starts a DataNode in the place of one of a cluster, with what members need of it. */
  static StockDaemon startDataNode(LocalCluster cluster, int i) throws IOException {
    return start(
        cluster,
        "datanode" + i,
        DataNode.class,
        Map.of(DFSConfigKeys.DFS_DATANODE_FSDATASET_FACTORY_KEY, GuardedDataset.class.getName()));
  }

  /**
   * Starts a daemon.
   *
   * @param out the file to which its output is added
   */
  static StockDaemon start(
      Path out, List<String> jvm, String classPath, Class<?> main, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.add("-XX:TieredStopAtLevel=1");
    // WebHDFS needs the first on Java 17, and bin/hbase gives all.
    for (String open : List.of("java.lang", "java.nio", "sun.nio.ch", "jdk.internal.misc")) {
      command.add("--add-opens=java.base/" + open + "=ALL-UNNAMED");
    }
    command.add("--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");
    command.addAll(List.of("-cp", classPath, main.getName()));
    command.addAll(arguments);
    return new StockDaemon(out, command);
  }

  private StockDaemon(Path out, List<String> command) throws IOException {
    this.out = out;
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
