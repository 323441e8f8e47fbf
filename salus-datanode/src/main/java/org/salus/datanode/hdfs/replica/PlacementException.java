package org.salus.datanode.hdfs.replica;

import java.io.IOException;

/**
 * The NameNode says that it cannot give a block to all hinted DataNodes. The file stays without a
 * block.
 */
public final class PlacementException extends IOException {
  private static final long serialVersionUID = 1;

  /** Hadoop's RPC makes it again at the caller from this message. */
  public PlacementException(String message) {
    super(message);
  }
}
