package org.salus.host.zk;

/** A running watch or registration. Closing ends it. */
@FunctionalInterface
public interface Watch extends AutoCloseable {
  /** Called with the watched state. When it throws, it is called again soon. */
  @FunctionalInterface
  interface Callback<T> {
    void accept(T now) throws ClusterStoreException;
  }

  @Override
  void close();
}
