package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.salus.core.Signer;
import org.salus.core.recovery.FloorClaim;

/** Tells a DataNode on this machine how far its replica is valid, so that nobody cuts below. */
public final class ReplicaFloor {
  private ReplicaFloor() {}

  /**
   * Returns once the DataNode knows the floor. One that has no guard takes no notice.
   *
   * @param dataNode "ip:port" of the DataNode
   * @param epoch the region's epoch
   * @param length up to which the replica is valid, in bytes
   * @throws IOException when the DataNode does not answer, has no replica or has another secret
   */
  public static void tell(
      BlockHandle handle,
      String dataNode,
      VolumeFiles files,
      Configuration conf,
      int epoch,
      long length,
      Signer signer)
      throws IOException {
    DatanodeInfo info = files.dataNode(handle, dataNode);
    ExtendedBlock block = new ExtendedBlock(handle.located().getBlock());
    byte[] claim =
        FloorClaim.sign(
                info.getDatanodeUuid(),
                FloorClaim.replica(block.getBlockPoolId(), block.getBlockId()),
                epoch,
                length,
                signer)
            .encode();
    block.setGenerationStamp(ReplicaRecovery.ANY_STAMP);
    ClientDatanodeProtocol proxy = DataNodeRpc.shared(info, conf);
    Certified.call(
        claim,
        () ->
            Repeatable.call(
                () -> proxy.getBlockLocalPathInfo(block, handle.located().getBlockToken())));
  }
}
