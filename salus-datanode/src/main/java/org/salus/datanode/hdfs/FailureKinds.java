package org.salus.datanode.hdfs;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeVolumeInfo;
import org.apache.hadoop.ipc.RPC;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.ReplicaFailure.Kind;

/** Finds out why a DataNode dropped a writer: the data transfer protocol just closes the connection. */
final class FailureKinds {
  private static final int TIMEOUT_MILLIS = 3000;
  private static final long LITTLE_SPACE = 1 << 20;

  private FailureKinds() {
  }

  static ReplicaFailure classify(IOException error, PacketStream.Setup setup, Configuration conf) {
    boolean refused = error instanceof PacketStream.RefusedException;
    String message = setup.dataNode().getXferAddr() + ": " + error.getMessage();
    // A replica reserves its whole block when it starts, so a start needs that much room and a packet only a little.
    long needed = refused ? Math.max(LITTLE_SPACE, setup.block().getNumBytes()) : LITTLE_SPACE;
    if (full(needed, setup, conf)) {
      return new ReplicaFailure(Kind.NO_SPACE, message);
    }
    return new ReplicaFailure(refused ? Kind.REFUSED : Kind.CONNECTION, message);
  }

  private static boolean full(long needed, PacketStream.Setup setup, Configuration conf) {
    ClientDatanodeProtocol dataNode = null;
    try {
      Configuration once = new Configuration(conf);
      once.setInt("ipc.client.connect.max.retries", 0);
      dataNode = DFSUtilClient.createClientDatanodeProtocolProxy(setup.dataNode(), once, TIMEOUT_MILLIS, false);
      List<DatanodeVolumeInfo> volumes = dataNode.getVolumeReport();
      return volumes.stream().allMatch(v -> v.getFreeSpace() < needed);
    } catch (IOException e) {
      return false;
    } finally {
      if (dataNode != null) {
        RPC.stopProxy(dataNode);
      }
    }
  }
}
