package org.salus.common.zk;

/** A running watch or registration; closing ends it. */
@FunctionalInterface
public interface Watch extends AutoCloseable {
  @Override
  void close();
}
