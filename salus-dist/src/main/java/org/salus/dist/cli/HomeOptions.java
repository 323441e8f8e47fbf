package org.salus.dist.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.salus.dist.install.Home;
import org.salus.dist.install.Product;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that say which Hadoop and which HBase a command is about, as a mixin. */
final class HomeOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--hadoop",
      paramLabel = "DIR",
      description = "The directory of Hadoop, on each host whose daemons read its hdfs-site.xml.")
  private Path hadoop;

  @Option(
      names = "--hbase",
      paramLabel = "DIR",
      description =
          "The directory of HBase, on each host whose daemons read its hbase-site.xml, also REST and Thrift servers.")
  private Path hbase;

  /** The places where Salus is installed or was begun to be. */
  List<Home> installed() throws IOException {
    return homes((product, dir) -> Home.installed(product, dir));
  }

  /** The places into which Salus can be put, with these directories of settings or null. */
  List<Home> found(Path hadoopConf, Path hbaseConf) throws IOException {
    return homes(
        (product, dir) ->
            Home.find(product, dir, product == Product.HADOOP ? hadoopConf : hbaseConf));
  }

  /** Makes a place of a directory. */
  private interface Finder {
    Home find(Product product, Path dir) throws IOException;
  }

  private List<Home> homes(Finder finder) throws IOException {
    if (hadoop == null && hbase == null) {
      throw new ParameterException(spec.commandLine(), "give --hadoop DIR or --hbase DIR, or both");
    }
    List<Home> homes = new ArrayList<>();
    if (hadoop != null) {
      homes.add(finder.find(Product.HADOOP, hadoop));
    }
    if (hbase != null) {
      homes.add(finder.find(Product.HBASE, hbase));
    }
    return homes;
  }
}
