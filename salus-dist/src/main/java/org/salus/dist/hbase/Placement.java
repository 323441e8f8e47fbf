package org.salus.dist.hbase;

import java.util.List;
import org.salus.datanode.hdfs.ServerAddresses;

/** Where the daemons of a cluster run. Immutable. */
public interface Placement {
  /** All on loopback addresses of this machine. */
  Placement HERE =
      new Placement() {
        @Override
        public ServerAddresses addresses() {
          return ServerAddresses.LOOPBACK;
        }

        @Override
        public List<String> on(Daemon role, int i) {
          return List.of();
        }
      };

  /** On which daemons listen. */
  ServerAddresses addresses();

  /**
   * A command that runs the rest of its line where the daemon belongs, and becomes that process;
   * nothing for here.
   *
   * @param i counts DataNodes and region servers and is -1 for the others
   */
  List<String> on(Daemon role, int i);
}
