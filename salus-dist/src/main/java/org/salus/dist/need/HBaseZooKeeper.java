package org.salus.dist.need;

import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Where HBase's settings say that ZooKeeper is. */
public final class HBaseZooKeeper {
  /** The setting that names the hosts. */
  public static final String HOSTS = "hbase.zookeeper.quorum";

  private static final String PORT = "hbase.zookeeper.property.clientPort";
  private static final String DEFAULT_HOST = "127.0.0.1";
  private static final String DEFAULT_PORT = "2181";

  private HBaseZooKeeper() {}

  /**
   * The servers as {@code host:port,...}, as {@code salus.zookeeper.quorum} names them.
   *
   * @param settings gives the value of a setting, or an empty text
   */
  public static String servers(UnaryOperator<String> settings) {
    String hosts = settings.apply(HOSTS).strip();
    String port = settings.apply(PORT).strip();
    return Need.list(hosts.isEmpty() ? DEFAULT_HOST : hosts).stream()
        .filter(h -> !h.isEmpty())
        .map(h -> h.contains(":") ? h : h + ":" + (port.isEmpty() ? DEFAULT_PORT : port))
        .collect(Collectors.joining(","));
  }
}
