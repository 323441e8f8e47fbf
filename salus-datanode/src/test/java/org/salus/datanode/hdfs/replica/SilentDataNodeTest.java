package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.salus.datanode.AckListener;
import org.salus.datanode.ReplicaFailure;
import org.salus.host.netty.Loops;

/**
 * A DataNode that takes connections and stands still, as a stopped process or one with a hanging
 * disk does.
 */
@Tag("cluster")
class SilentDataNodeTest {
  private static final long SECONDS = 20;

  @Test
  void anAppendThatIsNeverAcknowledgedFails() throws Exception {
    CompletableFuture<ReplicaFailure> failure = new CompletableFuture<>();
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
        Loops loops = TestHdfs.loops();
        ReplicaWriter writer =
            ReplicaWriter.create(
                handle(listening.getLocalPort()), 0, new Configuration(), loops.loop(0))) {
      writer.append(
          List.of(ByteBuffer.allocate(100)),
          true,
          new AckListener() {
            @Override
            public void acked(long length) {
              failure.completeExceptionally(new AssertionError("acknowledged " + length));
            }

            @Override
            public void failed(ReplicaFailure why) {
              failure.complete(why);
            }
          });
      try (Socket accepted = listening.accept()) {
        BlockOpResponseProto.newBuilder()
            .setStatus(Status.SUCCESS)
            .build()
            .writeDelimitedTo(accepted.getOutputStream());
        assertThat(failure.get(SECONDS, TimeUnit.SECONDS).kind())
            .isEqualTo(ReplicaFailure.Kind.CONNECTION);
      }
    }
  }

  private static BlockHandle handle(int port) {
    DatanodeInfo dataNode =
        new DatanodeInfoBuilder()
            .setNodeID(new DatanodeID("127.0.0.1", "127.0.0.1", "uuid", port, 0, 0, port))
            .build();
    LocatedBlock located =
        new LocatedBlock(
            new ExtendedBlock("pool", 1, 0, 1),
            new DatanodeInfo[] {dataNode},
            new String[] {"storage"},
            new StorageType[] {StorageType.DISK});
    return new BlockHandle("/file", 1, 1 << 20, true, located);
  }
}
