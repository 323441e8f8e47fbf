package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.salus.dist.hbase.Daemon;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/**
 * {@code salus daemon}: one server of a cluster in this process, until it is stopped by a signal.
 */
@Command(
    name = "daemon",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs one server of a cluster until it is stopped: the stock server, with Salus' parts in it.",
      "'salus cluster' writes the configuration files of a cluster on this machine; on real hosts yours take their place: conf/ has",
      "one for each role to begin with."
    },
    footer = {
      "",
      "Example: salus daemon datanode --conf /etc/salus/datanode.xml --log /var/log/salus/datanode.log"
    })
final class DaemonCommand implements Callable<Integer> {
  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "ROLE", description = "One of ${COMPLETION-CANDIDATES}, in any case.")
  private Daemon role;

  @Option(
      names = "--conf",
      paramLabel = "FILE",
      required = true,
      description = "Settings of Hadoop, HBase and Salus in Hadoop's XML.")
  private Path conf;

  @Option(
      names = "--log",
      paramLabel = "FILE",
      required = true,
      description = "Where the log goes.")
  private Path log;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Configuration configuration = read(conf);
    PrintWriter out = spec.commandLine().getOut();
    Logging.toFile(log, salus.verbose());
    role.run(
        configuration,
        () -> {
          out.println("ready " + role.name().toLowerCase(Locale.ROOT));
          out.flush();
        });
    return 0;
  }

  /** A configuration file, and the files that it includes, over the defaults of HDFS and HBase. */
  static Configuration read(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IOException("cannot read " + file + "; give a file with --conf");
    }
    HdfsConfiguration.init();
    Configuration configuration = HBaseConfiguration.create();
    configuration.addResource(new org.apache.hadoop.fs.Path(file.toAbsolutePath().toUri()));
    return configuration;
  }
}
