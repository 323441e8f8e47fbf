package org.salus.datanode.hdfs;

import java.util.List;
import org.apache.hadoop.security.AccessControlException;
import org.salus.host.config.PartSettings;

/**
 * Decides inside the NameNode whether a change is allowed (§4.2.3). Many RPC threads call it at
 * once, and HDFS waits for them: an answer must not wait for anything outside this process. An
 * implementation has a public constructor without parameters. If it is {@link
 * org.apache.hadoop.conf.Configurable}, it gets the NameNode's configuration. No method has a
 * default, so that a guard around another one forgets none.
 */
public interface ChangeGuard extends AutoCloseable {
  /**
   * The configuration key with the name of the guard's class. Without it every change is refused.
   */
  String CLASS_KEY = PartSettings.GUARD.key();

  /**
   * Returns if the certificate permits the change.
   *
   * @throws AccessControlException if it does not
   */
  void check(Change change) throws AccessControlException;

  /**
   * Returns if every change of the region's files with a certificate of an older epoch is refused
   * from now on.
   *
   * @param directory of the region's files
   * @throws AccessControlException if that epoch is not known yet; ask again
   */
  void requireEpoch(String directory, int epoch) throws AccessControlException;

  /**
   * Returns "ip:port" of the DataNodes of the members of a file's region.
   *
   * @throws AccessControlException if they are not known now
   */
  List<String> membersOf(String path) throws AccessControlException;

  /**
   * Returns "ip:port" of the DataNodes that should have replicas of this file, or an empty list
   * when that is not known.
   */
  List<String> dataNodesOf(String path);

  /** Gives back what the guard holds, after its NameNode has stopped. */
  @Override
  void close();
}
