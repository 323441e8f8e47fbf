package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.ipc.RemoteException;
import org.salus.core.Signer;
import org.salus.core.recovery.FenceClaim;
import org.salus.core.recovery.FloorClaim;
import org.salus.core.replacement.EpochLink;

/**
 * Tells a DataNode what may be done to its replica: how far nobody cuts, whether it may get a new
 * stamp, and that nobody appends to it. Only the member whose replica it is says the first two.
 * Thread-safe.
 *
 * @param dataNode "ip:port" of the DataNode
 */
public record ReplicaFloor(String dataNode, VolumeFiles files, Configuration conf, Signer signer) {

  /**
   * Says before a recovery how far the replica is valid. Returns once the DataNode knows it. From
   * then on the replica may get new stamps. The DataNode need not have one yet. A DataNode that has
   * no guard takes no notice.
   *
   * @param epoch the region's epoch
   * @param length up to which the replica is valid, in bytes
   * @throws IOException when the DataNode does not answer, or has another secret
   */
  public void tell(BlockHandle handle, int epoch, long length) throws IOException {
    try {
      tell(handle, epoch, length, FloorClaim.MAY_RISE);
    } catch (RemoteException e) {
      requireNotFound(e);
    }
  }

  /**
   * Says after a recovery that the replica is equal to the others, under this stamp. The replica
   * keeps it for the rest of the epoch.
   *
   * @param epoch the region's epoch
   * @param length of the replica, in bytes
   * @param stamp that the replica had before it was looked at
   * @throws IOException when the DataNode does not answer, or its replica is another one by now
   */
  public void keepStamp(BlockHandle handle, int epoch, long length, long stamp) throws IOException {
    tell(handle, epoch, length, stamp);
  }

  /**
   * Says that nobody appends to the replica any more. The members of an epoch without a holder read
   * it then. The DataNode need not have one yet, and may be on another machine.
   *
   * @param node the member that says so
   * @throws IOException when the DataNode does not answer, or refuses it
   */
  public void fence(BlockHandle handle, EpochLink link, String node) throws IOException {
    try {
      show(handle, FenceClaim.sign(dataNode, name(handle), link, node, signer).encode());
    } catch (RemoteException e) {
      requireNotFound(e);
    }
  }

  private static void requireNotFound(RemoteException e) throws RemoteException {
    if (!e.getClassName().equals(ReplicaNotFoundException.class.getName())) {
      throw e;
    }
  }

  private static String name(BlockHandle handle) {
    ExtendedBlock block = handle.located().getBlock();
    return FloorClaim.replica(block.getBlockPoolId(), block.getBlockId());
  }

  private void tell(BlockHandle handle, int epoch, long length, long stamp) throws IOException {
    String id = files.dataNode(handle, dataNode).getDatanodeUuid();
    show(handle, FloorClaim.sign(id, name(handle), epoch, length, stamp, signer).encode());
  }

  private void show(BlockHandle handle, byte[] claim) throws IOException {
    DatanodeInfo info = files.dataNode(handle, dataNode);
    ExtendedBlock block = new ExtendedBlock(handle.located().getBlock());
    block.setGenerationStamp(ReplicaRecovery.ANY_STAMP);
    ClientDatanodeProtocol proxy = DataNodeRpc.shared(info, conf);
    Certified.call(
        claim,
        () ->
            Repeatable.call(
                () -> proxy.getBlockLocalPathInfo(block, handle.located().getBlockToken())));
  }
}
