package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.salus.datanode.ReplicaFailure;
import org.salus.datanode.ReplicaFailure.Kind;
import org.salus.datanode.hdfs.netty.PacketStream;

/**
 * Finds out why a DataNode dropped a writer: the data transfer protocol just closes the connection.
 */
final class FailureKinds {
  private static final long LITTLE_SPACE = 1 << 20;

  private FailureKinds() {}

  static ReplicaFailure classify(IOException error, PacketStream.Setup setup, Configuration conf) {
    boolean refused = error instanceof PacketStream.RefusedException;
    String message = setup.dataNode().getXferAddr() + ": " + error.getMessage();
    if (error instanceof SocketTimeoutException || error instanceof ConnectException) {
      return new ReplicaFailure(Kind.CONNECTION, message); // it would not answer a question either
    }
    // A replica reserves its whole block when it starts, so a start needs that much room and a
    // packet only a little.
    long needed = refused ? Math.max(LITTLE_SPACE, setup.block().getNumBytes()) : LITTLE_SPACE;
    if (DataNodeSpace.isFull(setup.dataNode(), needed, conf)) {
      return new ReplicaFailure(Kind.NO_SPACE, message);
    }
    return new ReplicaFailure(refused ? Kind.REFUSED : Kind.CONNECTION, message);
  }
}
