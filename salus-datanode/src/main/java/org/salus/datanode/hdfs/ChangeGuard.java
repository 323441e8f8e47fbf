package org.salus.datanode.hdfs;

import java.util.List;
import org.apache.hadoop.security.AccessControlException;
import org.salus.host.config.PartSettings;

/**
 * Decides inside the NameNode whether a change is allowed. Called by many RPC threads at once. An
 * implementation has a public constructor without parameters; if it is {@link
 * org.apache.hadoop.conf.Configurable} it gets the NameNode's configuration.
 */
public interface ChangeGuard {
  /** Configuration key: name of the guard's class. Without it every change is refused. */
  String CLASS_KEY = PartSettings.GUARD.key();

  /** Returns if the certificate permits the change. */
  void check(Change change) throws AccessControlException;

  /**
   * "ip:port" of the DataNodes on which replicas of this file are wanted; none when that is not
   * known.
   */
  default List<String> dataNodesOf(String path) {
    return List.of();
  }
}
