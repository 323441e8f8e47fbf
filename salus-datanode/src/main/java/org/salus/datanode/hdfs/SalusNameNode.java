package org.salus.datanode.hdfs;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.HAUtil;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeRpcServer;
import org.apache.hadoop.metrics2.annotation.Metrics;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.salus.host.DurableFile;

/**
 * A stock NameNode, except that it changes volumes' files only with a certificate (§4.2.3); see
 * {@link GuardedRpcServer}.
 */
@Metrics(context = "dfs")
public class SalusNameNode extends NameNode {
  private static final String EDITS = DFSConfigKeys.DFS_NAMENODE_EDITS_DIR_KEY;

  static {
    Configuration.addDefaultResource("salus-hdfs.xml");
  }

  /** Starts the NameNode; {@link ChangeGuard#CLASS_KEY} names the guard. */
  public SalusNameNode(Configuration conf) throws IOException {
    super(conf);
  }

  /**
   * Starts the NameNode. Directories without anything in them are formatted before.
   *
   * @throws IOException if there is no name space, and one must not be made unasked
   */
  public static NameNode start(Configuration conf) throws IOException {
    Configuration resolved = resolved(conf);
    List<Path> names = directories(resolved);
    if (names.stream().noneMatch(n -> Files.exists(n.resolve("current/VERSION")))) {
      requireUnused(resolved);
      // HDFS does not sync what it formats. So this formats elsewhere and then moves the result:
      // after a power cut each directory is either absent or whole.
      Configuration elsewhere = elsewhere(resolved, names);
      try {
        NameNode.format(elsewhere);
      } finally {
        ChangeGuards.close(elsewhere); // the placement of replicas has made one
      }
      for (Path n : names) {
        DurableFile.move(fresh(n), n);
      }
    }
    NameNode nameNode = new SalusNameNode(conf);
    // HDFS does so where it makes a NameNode by itself: nothing is in /jmx and /prom before. From
    // then on no name may come twice, and formatting has taken some.
    DefaultMetricsSystem.initialize("NameNode");
    return nameNode;
  }

  /**
   * Starts a NameNode with HDFS' own startup options, such as {@code -rollingUpgrade started}. HDFS
   * itself reads them. It makes a stock NameNode, so the guard comes as a plugin. An option that
   * asks for one task, such as {@code -format}, ends the process after it. Without any, this is the
   * other start.
   *
   * @throws IOException if the options are wrong
   */
  public static NameNode start(List<String> options, Configuration conf) throws IOException {
    if (options.isEmpty()) {
      return start(conf);
    }
    List<String> plugins =
        new ArrayList<>(conf.getTrimmedStringCollection(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY));
    if (!plugins.contains(GuardPlugin.class.getName())) {
      plugins.add(0, GuardPlugin.class.getName());
    }
    Configuration guarded = new Configuration(conf);
    guarded.set(DFSConfigKeys.DFS_NAMENODE_PLUGINS_KEY, String.join(",", plugins));
    NameNode nameNode =
        NameNode.createNameNode(answerable(options).toArray(String[]::new), guarded);
    if (nameNode == null) {
      throw new IOException("the NameNode knows no startup option " + String.join(" ", options));
    }
    return nameNode;
  }

  /**
   * HDFS asks before it overwrites a name space, and for ever if nobody can answer.
   *
   * @throws IOException if there is no terminal, and HDFS does not go on without an answer
   */
  private static List<String> answerable(List<String> options) throws IOException {
    if (System.console() != null || has(options, "-force") || has(options, "-nonInteractive")) {
      return options;
    }
    if (has(options, "-rollback") || has(options, "-recover")) {
      throw new IOException(
          "HDFS asks before it does " + String.join(" ", options) + ": run this in a terminal");
    }
    if (Stream.of("-format", "-bootstrapStandby", "-initializeSharedEdits")
        .noneMatch(asks -> has(options, asks))) {
      return options;
    }
    List<String> silent = new ArrayList<>(options);
    silent.add("-nonInteractive");
    return silent;
  }

  private static boolean has(List<String> options, String option) {
    return options.stream().anyMatch(option::equalsIgnoreCase);
  }

  /** Only what was found empty is formatted unasked: its disk may just not be mounted right. */
  private static void requireUnused(Configuration conf) throws IOException {
    if (HAUtil.isHAEnabled(conf, DFSUtil.getNamenodeNameServiceId(conf))) {
      throw new IOException(
          "there is no name space in "
              + directories(conf)
              + ", and there are several NameNodes: run this with -format for the first one, with"
              + " -bootstrapStandby for the others");
    }
    List<URI> all = new ArrayList<>(FSNamesystem.getNamespaceDirs(conf));
    all.addAll(FSNamesystem.getNamespaceEditsDirs(conf));
    for (URI uri : all) {
      if (!uri.getScheme().equals("file")) {
        throw new IOException(
            "there is no name space, and its edits would be in " + uri + ": run this with -format");
      }
      Path directory = Path.of(uri);
      if (Files.exists(directory) && !isEmpty(directory)) {
        throw new IOException(
            directory
                + " is not empty, and there is no name space: bring back its files, or run this"
                + " with -format, which deletes what is there");
      }
    }
  }

  /** The settings as HDFS reads them: a key with the name of a NameNode goes before one without. */
  private static Configuration resolved(Configuration conf) {
    Configuration resolved = new Configuration(conf);
    String service = DFSUtil.getNamenodeNameServiceId(conf);
    initializeGenericKeys(resolved, service, HAUtil.getNameNodeId(conf, service));
    return resolved;
  }

  private static List<Path> directories(Configuration resolved) {
    return FSNamesystem.getNamespaceDirs(resolved).stream().map(Path::of).toList();
  }

  /**
   * The settings with which the name space is made beside its directories.
   *
   * @throws IOException if HDFS would read other directories from them
   */
  static Configuration elsewhere(Configuration resolved, List<Path> names) throws IOException {
    Configuration elsewhere = new Configuration(resolved);
    String service = DFSUtil.getNamenodeNameServiceId(resolved);
    String nameNode = HAUtil.getNameNodeId(resolved, service);
    // The directories of edits that are not set are those of names.
    List<String> edits =
        FSNamesystem.getNamespaceEditsDirs(resolved).stream()
            .map(uri -> isOneOf(uri, names) ? fresh(Path.of(uri)).toUri() : uri)
            .map(URI::toString)
            .toList();
    for (String key : List.of(DFSConfigKeys.DFS_NAMENODE_NAME_DIR_KEY, EDITS)) {
      if (service != null) {
        elsewhere.unset(DFSUtil.addKeySuffixes(key, service));
        elsewhere.unset(DFSUtil.addKeySuffixes(key, service, nameNode));
      }
    }
    List<Path> fresh = names.stream().map(SalusNameNode::fresh).toList();
    elsewhere.set(
        DFSConfigKeys.DFS_NAMENODE_NAME_DIR_KEY,
        fresh.stream().map(n -> n.toUri().toString()).collect(Collectors.joining(",")));
    elsewhere.set(EDITS, String.join(",", edits));
    if (!directories(resolved(elsewhere)).equals(fresh)) { // what is there would be deleted
      throw new IOException(
          "HDFS would make its name space in "
              + directories(resolved(elsewhere))
              + ", not "
              + fresh);
    }
    return elsewhere;
  }

  private static boolean isOneOf(URI uri, List<Path> names) {
    return uri.getScheme().equals("file") && names.contains(Path.of(uri));
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.findAny().isEmpty();
    }
  }

  private static Path fresh(Path names) {
    return names.resolveSibling(names.getFileName() + ".new");
  }

  @Override
  public void stop() {
    super.stop();
    ChangeGuards.close(getConf());
  }

  @Override
  protected NameNodeRpcServer createRpcServer(Configuration conf) throws IOException {
    return new GuardedRpcServer(conf, this);
  }
}
