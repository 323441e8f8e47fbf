package org.salus.datanode.hdfs.replica;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.replacement.EpochRegister;
import org.salus.datanode.hdfs.Change;
import org.salus.datanode.hdfs.ChangeGuard;

/** Accepts certificates that begin with 'C', and remembers what it was asked. */
public final class PermitByFirstByte implements ChangeGuard {
  /** "ip:port" of the DataNodes that should have replicas of every file. */
  public static final List<String> WANTED = new CopyOnWriteArrayList<>();

  public static final Queue<Change> ASKED = new ConcurrentLinkedQueue<>();

  @Override
  public void check(Change change) throws AccessControlException {
    ASKED.add(change);
    if (change.signature()[0] != 'C') {
      throw new AccessControlException("wrong certificate for " + change.path());
    }
  }

  @Override
  public List<String> dataNodesOf(String path) {
    return WANTED;
  }

  @Override
  public void use(Registers registers) {
    // these certificates have no epochs
  }

  @Override
  public EpochRegister take(
      String directory, EpochRegister known, Map<Long, EpochRegister.OpenFile> open, byte[] word) {
    return known;
  }

  @Override
  public void checkRegion(String directory) {
    // every volume exists
  }

  @Override
  public void close() {
    // it holds nothing
  }
}
