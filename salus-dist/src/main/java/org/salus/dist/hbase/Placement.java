package org.salus.dist.hbase;

import java.util.List;
import org.salus.datanode.hdfs.ServerAddresses;

/** Says where the daemons of a cluster run. Immutable. */
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

  /** The addresses on which daemons listen. */
  ServerAddresses addresses();

  /**
   * A command that runs the rest of its line where the daemon belongs and becomes that process;
   * empty for here.
   *
   * @param i the number of a DataNode or region server, from 0; -1 for other roles
   */
  List<String> on(Daemon role, int i);
}
