package org.salus.host.zk;

/** A running watch or registration; closing ends it. */
@FunctionalInterface
public interface Watch extends AutoCloseable {
  /** Told what is watched; where it throws, it is told again soon. */
  @FunctionalInterface
  interface Callback<T> {
    void accept(T now) throws ClusterStoreException;
  }

  @Override
  void close();
}
