package org.salus.datanode.hdfs.planted;

import org.apache.hadoop.security.AccessControlException;

/** Refuses a change past the place where refusals are counted. */
public final class Refuser {
  AccessControlException refuse() {
    return new AccessControlException("not counted");
  }
}
