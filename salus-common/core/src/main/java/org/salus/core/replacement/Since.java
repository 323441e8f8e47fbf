package org.salus.core.replacement;

/**
 * Since when something is as it is. A record may have been changed by others, so a time counts only
 * for what it was taken for.
 *
 * @param nanos the time in nanoseconds
 */
record Since<T>(T what, long nanos) {
  Since<T> of(T now, ClusterView cluster) {
    return now.equals(what) ? this : new Since<>(now, cluster.nanos());
  }

  boolean isWithin(T now, long most, ClusterView cluster) {
    return now.equals(what) && cluster.nanos() - nanos < most;
  }
}
