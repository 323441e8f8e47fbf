package org.salus.datanode.hdfs;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.security.AccessControlException;

/** Accepts certificates that begin with 'C', and remembers what it was asked. */
public final class PermitByFirstByte implements ChangeGuard {
  static final Queue<Change> ASKED = new ConcurrentLinkedQueue<>();

  @Override
  public void check(Change change) throws AccessControlException {
    ASKED.add(change);
    if (change.signature()[0] != 'C') {
      throw new AccessControlException("wrong certificate for " + change.path());
    }
  }
}
