package org.salus.dist.need;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The jars that daemons need, by the names of their artifacts. */
public final class NeededJars {
  /** The jar of Salus that every daemon has. */
  public static final String SALUS = "salus-core";

  /** With this, a region server reads from the page cache without waking a thread. */
  public static final String PAGE_CACHE = "jna";

  /** Jars of Salus for NameNodes and DataNodes. */
  public static final List<String> OF_HDFS = List.of(SALUS, "salus-host", "salus-datanode");

  /** Jars of Salus for masters and region servers. */
  public static final List<String> OF_HBASE =
      List.of(
          SALUS,
          "salus-host",
          "salus-client",
          "salus-monitor",
          "salus-datanode",
          "salus-regionserver",
          "salus-master");

  /** Libraries of others that all jars of Salus use. Hadoop and HBase have most of them. */
  private static final List<String> LIBRARIES =
      List.of(
          "curator-client",
          "curator-framework",
          "jackson-annotations",
          "jackson-core",
          "jackson-databind",
          "netty-buffer",
          "netty-codec",
          "netty-common",
          "netty-handler",
          "netty-resolver",
          "netty-transport",
          "netty-transport-classes-epoll",
          "netty-transport-native-unix-common",
          "slf4j-api",
          "zookeeper",
          "zookeeper-jute");

  /** The same for NameNodes and DataNodes. */
  public static final List<String> LIBRARIES_OF_HDFS = LIBRARIES;

  /** The same for masters and region servers. */
  public static final List<String> LIBRARIES_OF_HBASE = withThoseOfHBase();

  private NeededJars() {}

  private static List<String> withThoseOfHBase() {
    List<String> all = new ArrayList<>(LIBRARIES);
    all.addAll(List.of("HdrHistogram", PAGE_CACHE));
    return List.copyOf(all);
  }

  /**
   * The version of an artifact among jars; empty if there is none, or its jar's name has no
   * version. A jar of its tests does not count.
   *
   * @param jars names of files
   */
  public static Optional<String> version(Collection<String> jars, String artifact) {
    Pattern jar = Pattern.compile(Pattern.quote(artifact) + "-(\\d.*)(?<!-tests)\\.jar");
    return jars.stream()
        .map(jar::matcher)
        .filter(Matcher::matches)
        .map(m -> m.group(1))
        .findFirst();
  }
}
