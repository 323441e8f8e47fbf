package org.salus.dist.hbase;

import java.util.TimerTask;

/**
 * What HBase does 20 minutes after a region server began to abort, by default: it halts the
 * process, whether or not the server has ended since. In a process with other servers nothing is to
 * be done.
 */
public final class OthersGoOn extends TimerTask {
  @Override
  public void run() {
    // the aborted server's threads hold nothing that the others need
  }
}
