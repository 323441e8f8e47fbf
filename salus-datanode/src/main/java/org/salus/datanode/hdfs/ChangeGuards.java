package org.salus.datanode.hdfs;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.ReflectionUtils;
import org.salus.core.replacement.EpochRegister;

/**
 * The guard of each NameNode of this process. All parts of a NameNode share one; Hadoop makes them
 * from the same configuration object. Thread-safe.
 */
final class ChangeGuards {
  private static final Map<Configuration, ChangeGuard> GUARDS = new IdentityHashMap<>();

  private ChangeGuards() {}

  /** Refuses every change. It is the guard when none is configured. */
  static final class RefuseAll implements ChangeGuard {
    @Override
    public void check(Change change) throws AccessControlException {
      throw Refusals.refuse(
          change.op().name(),
          CLASS_KEY + " is not set: nothing under " + GuardedPaths.ROOT + " can be changed");
    }

    @Override
    public void use(Registers registers) {
      // it needs to know nothing
    }

    @Override
    public EpochRegister take(
        String directory, EpochRegister known, Map<Long, EpochRegister.OpenFile> open, byte[] word)
        throws AccessControlException {
      throw Refusals.refuse(Refusals.EPOCH_WORD, CLASS_KEY + " is not set: no epoch opens");
    }

    @Override
    public void checkRegion(String directory) throws AccessControlException {
      throw Refusals.ordinary(CLASS_KEY + " is not set: no volumes are known");
    }

    @Override
    public List<String> dataNodesOf(String path) {
      return List.of();
    }

    @Override
    public void close() {
      // it holds nothing
    }
  }

  /** Returns the guard of the NameNode with this configuration. */
  static synchronized ChangeGuard of(Configuration conf) {
    return GUARDS.computeIfAbsent(
        conf,
        c ->
            ReflectionUtils.newInstance(
                c.getClass(ChangeGuard.CLASS_KEY, RefuseAll.class, ChangeGuard.class), c));
  }

  /** Ends the guard of a NameNode that has stopped. */
  static synchronized void close(Configuration conf) {
    ChangeGuard guard = GUARDS.remove(conf);
    if (guard != null) {
      guard.close();
    }
  }
}
