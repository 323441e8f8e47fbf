package org.salus.dist.system;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.replacement.EpochRegister;
import org.salus.datanode.hdfs.Change;
import org.salus.datanode.hdfs.ChangeGuard;
import org.salus.datanode.hdfs.ZooKeeperGuard;

/** The guard of a real cluster, which a test can switch off; then it permits every change. */
public final class SwitchedGuard implements ChangeGuard, Configurable {
  static volatile boolean off;

  private final ZooKeeperGuard guard = new ZooKeeperGuard();

  @Override
  public void check(Change change) throws AccessControlException {
    if (!off) {
      guard.check(change);
    }
  }

  @Override
  public List<String> dataNodesOf(String path) {
    return guard.dataNodesOf(path);
  }

  @Override
  public void use(Registers registers) {
    guard.use(registers);
  }

  @Override
  public EpochRegister take(
      String directory, EpochRegister known, Map<Long, EpochRegister.OpenFile> open, byte[] word)
      throws AccessControlException {
    return guard.take(directory, known, open, word);
  }

  @Override
  public void checkRegion(String directory) throws AccessControlException {
    guard.checkRegion(directory);
  }

  @Override
  public void close() {
    guard.close();
  }

  @Override
  public void setConf(Configuration conf) {
    guard.setConf(conf);
  }

  @Override
  public Configuration getConf() {
    return guard.getConf();
  }
}
