package org.salus.datanode.hdfs;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.replacement.EpochRegister;
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

  /** What the NameNode knows of the regions' epochs. Reading it does not leave the process. */
  interface Registers {
    /**
     * Returns the register of a region.
     *
     * @param directory the directory of the region's files
     * @throws AccessControlException if it cannot be read
     */
    EpochRegister of(String directory) throws AccessControlException;
  }

  /** Takes what the NameNode knows of epochs, before the NameNode answers calls. */
  void use(Registers registers);

  /**
   * Takes a member's word about its region's epochs ({@link EpochRegister}), and returns what is
   * known from then on.
   *
   * @param directory of the region's files
   * @param known what is known now
   * @param open the region's segments whose files are open
   * @throws AccessControlException if the word does not count
   */
  EpochRegister take(
      String directory, EpochRegister known, Map<Long, EpochRegister.OpenFile> open, byte[] word)
      throws AccessControlException;

  /**
   * Returns if a region's directory may be made, because its volume exists and is in use.
   *
   * @throws AccessControlException if not
   */
  void checkRegion(String directory) throws AccessControlException;

  /**
   * Returns "ip:port" of the DataNodes that should have replicas of this file, or an empty list
   * when that is not known.
   */
  List<String> dataNodesOf(String path);

  /** Gives back what the guard holds, after its NameNode has stopped. */
  @Override
  void close();
}
