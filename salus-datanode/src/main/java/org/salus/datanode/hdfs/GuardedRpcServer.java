package org.salus.datanode.hdfs;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.ReencryptAction;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LastBlockWithStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.proto.ClientNamenodeProtocolProtos.ClientNamenodeProtocol;
import org.apache.hadoop.hdfs.protocol.proto.DatanodeProtocolProtos.DatanodeProtocolService;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolServerSideTranslatorPB;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolServerSideTranslatorPB;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.NameNodeRpcServer;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.StorageReceivedDeletedBlocks;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.AccessControlException;
import org.salus.datanode.hdfs.Change.Op;
import org.salus.datanode.hdfs.replica.GuardAnswerException;
import org.salus.datanode.hdfs.replica.PlacementException;
import org.salus.datanode.hdfs.replica.UnreportedException;
import org.salus.datanode.hdfs.replica.VolumeFiles;

/**
 * The NameNode's RPC methods. Each method that can change a volume's file or directory first asks
 * the {@link ChangeGuard}. WebHDFS and fsck come through here too. A test compares every {@code
 * ClientProtocol} method with this class.
 *
 * <p>{@link SalusNameNode} makes one for itself. {@link GuardPlugin} puts one {@linkplain #around
 * around} the server of a stock NameNode.
 */
final class GuardedRpcServer extends NameNodeRpcServer {
  private static final FsPermission REGION_DIRECTORY = new FsPermission((short) 0755);

  /** Of the directory of all volumes. Only who runs the servers, and superusers, look into it. */
  private static final FsPermission ROOT_DIRECTORY = new FsPermission((short) 0700);

  private static final int LOCKS = 64;

  // No constructor runs for a server around another one, so guard(Configuration) sets these fields,
  // once and before any call.

  /** One of these is held while a member's word about its region's epochs is taken. */
  private Object[] epochWords;

  /** Held until a quota is set that was compared with the present one. */
  private Object quotas;

  private ReplicaReports reports;
  private GuardedPaths guard;

  GuardedRpcServer(Configuration conf, NameNode nameNode) throws IOException {
    super(conf, nameNode);
    guard(conf);
  }

  private void guard(Configuration conf) {
    epochWords = Stream.generate(Object::new).limit(LOCKS).toArray();
    quotas = new Object();
    reports = new ReplicaReports(namesystem);
    guard = GuardedPaths.of(namesystem, reports, conf);
    clientRpcServer.addTerseExceptions(UnreportedException.class); // the caller just asks again
    clientRpcServer.addSuppressedLoggingExceptions(GuardAnswerException.class);
  }

  /**
   * Returns a guarded server that has the ports, name space and all else of a stock one. HDFS' own
   * constructor would open ports again, so it is left out.
   *
   * @throws ReflectiveOperationException if this HDFS has another server than Salus knows
   */
  static GuardedRpcServer around(NameNodeRpcServer stock, Configuration conf)
      throws ReflectiveOperationException {
    GuardedRpcServer guarded =
        FieldCopies.of(NameNodeRpcServer.class, stock, GuardedRpcServer.class);
    guarded.guard(conf);
    return guarded;
  }

  /** Takes the calls of clients and DataNodes at all ports of the NameNode. */
  void takeCalls(Configuration conf) throws IOException, ReflectiveOperationException {
    List<RPC.Server> servers = new ArrayList<>(List.of(clientRpcServer));
    Field field = NameNodeRpcServer.class.getDeclaredField("serviceRpcServer");
    field.setAccessible(true);
    if (field.get(this) instanceof RPC.Server service) {
      servers.add(service);
    }
    int most =
        conf.getInt(
            CommonConfigurationKeys.IPC_MAXIMUM_DATA_LENGTH,
            CommonConfigurationKeys.IPC_MAXIMUM_DATA_LENGTH_DEFAULT);
    for (RPC.Server server : servers) {
      DFSUtil.addInternalPBProtocol(
          conf,
          ClientNamenodeProtocolPB.class,
          ClientNamenodeProtocol.newReflectiveBlockingService(
              new ClientNamenodeProtocolServerSideTranslatorPB(this)),
          server);
      DFSUtil.addInternalPBProtocol(
          conf,
          DatanodeProtocolPB.class,
          DatanodeProtocolService.newReflectiveBlockingService(
              new DatanodeProtocolServerSideTranslatorPB(this, most)),
          server);
    }
  }

  @Override
  public HdfsFileStatus create(
      String src,
      FsPermission masked,
      String clientName,
      EnumSetWritable<CreateFlag> flag,
      boolean createParent,
      short replication,
      long blockSize,
      CryptoProtocolVersion[] versions,
      String ecPolicy,
      String storagePolicy)
      throws IOException {
    guard.create(src, masked, clientName, flag.get(), replication, ecPolicy, storagePolicy);
    return super.create(
        src,
        masked,
        clientName,
        flag,
        createParent,
        replication,
        blockSize,
        versions,
        ecPolicy,
        storagePolicy);
  }

  @Override
  public LastBlockWithStatus append(String src, String clientName, EnumSetWritable<CreateFlag> flag)
      throws IOException {
    guard.path(Op.APPEND, src);
    return super.append(src, clientName, flag);
  }

  @Override
  public LocatedBlock addBlock(
      String src,
      String clientName,
      ExtendedBlock previous,
      DatanodeInfo[] exclude,
      long fileId,
      String[] favored,
      EnumSet<AddBlockFlag> flags)
      throws IOException {
    List<String> hints = favored == null ? List.of() : List.of(favored);
    if (!guard.addBlock(src, fileId, previous, hints)) {
      return super.addBlock(src, clientName, previous, exclude, fileId, favored, flags);
    }
    // Members write to the block once they see it, and nobody may give a block back that they have
    // seen. So a block that is not on the hinted DataNodes goes before anybody can see it.
    namesystem.writeLock();
    try {
      guard.addBlock(
          src, fileId, previous, hints); // another call may have given it a block meanwhile
      LocatedBlock block =
          super.addBlock(src, clientName, null, guard.allBut(hints), fileId, favored, flags);
      if (GuardedPaths.isPlaced(block, hints)) {
        return block;
      }
      super.abandonBlock(block.getBlock(), fileId, src, clientName);
      throw new PlacementException(
          src + ": wanted " + hints + ", HDFS offers " + Arrays.toString(block.getLocations()));
    } finally {
      namesystem.writeUnlock("salusAddBlock");
    }
  }

  @Override
  public LocatedBlock getAdditionalDatanode(
      String src,
      long fileId,
      ExtendedBlock block,
      DatanodeInfo[] existing,
      String[] storageIds,
      DatanodeInfo[] exclude,
      int additional,
      String clientName)
      throws IOException {
    guard.file(Op.PIPELINE, src, fileId, block);
    return super.getAdditionalDatanode(
        src, fileId, block, existing, storageIds, exclude, additional, clientName);
  }

  @Override
  public void abandonBlock(ExtendedBlock block, long fileId, String src, String holder)
      throws IOException {
    guard.file(Op.ABANDON_BLOCK, src, fileId, block);
    super.abandonBlock(block, fileId, src, holder);
  }

  @Override
  public boolean complete(String src, String clientName, ExtendedBlock last, long fileId)
      throws IOException {
    guard.file(Op.COMPLETE, src, fileId, last);
    boolean done = super.complete(src, clientName, last, fileId);
    if (done && last != null) {
      reports.forget(last.getLocalBlock());
    }
    return done;
  }

  @Override
  public void fsync(String src, long fileId, String clientName, long lastBlockLength)
      throws IOException {
    guard.file(Op.FSYNC, src, fileId, null);
    super.fsync(src, fileId, clientName, lastBlockLength);
  }

  @Override
  public LocatedBlock updateBlockForPipeline(ExtendedBlock block, String clientName)
      throws IOException {
    guard.block(Op.FENCE, block);
    LocatedBlock stamped = super.updateBlockForPipeline(block, clientName);
    guard.fenced(block);
    return stamped;
  }

  @Override
  public void updatePipeline(
      String clientName,
      ExtendedBlock oldBlock,
      ExtendedBlock newBlock,
      DatanodeID[] nodes,
      String[] storageIds)
      throws IOException {
    guard.pipeline(oldBlock, newBlock, nodes);
    super.updatePipeline(clientName, oldBlock, newBlock, nodes, storageIds);
  }

  /** Takes a DataNode's word for the stamps of its own replicas. */
  @Override
  public void blockReceivedAndDeleted(
      DatanodeRegistration dataNode, String pool, StorageReceivedDeletedBlocks[] replicas)
      throws IOException {
    super.blockReceivedAndDeleted(dataNode, pool, replicas);
    reports.take(dataNode, replicas);
  }

  @Override
  public void reportBadBlocks(LocatedBlock[] blocks) throws IOException {
    guard.badReplicas(blocks);
    super.reportBadBlocks(blocks);
  }

  @Override
  public HdfsFileStatus getFileInfo(String src) throws IOException {
    guard.answer(src);
    return super.getFileInfo(src);
  }

  @Override
  public boolean mkdirs(String src, FsPermission masked, boolean createParent) throws IOException {
    if (!isPrepared(src)) {
      guard.path(Op.MKDIRS, src);
    }
    return super.mkdirs(src, masked, createParent);
  }

  @Override
  public boolean delete(String src, boolean recursive) throws IOException {
    guard.subtree(Op.DELETE, src);
    return super.delete(src, recursive);
  }

  @Override
  @SuppressWarnings("deprecation")
  public boolean rename(String src, String dst) throws IOException {
    guard.rename(src, dst);
    return super.rename(src, dst);
  }

  @Override
  public void rename2(String src, String dst, Options.Rename... options) throws IOException {
    guard.rename(src, dst);
    super.rename2(src, dst, options);
  }

  @Override
  public boolean truncate(String src, long newLength, String clientName) throws IOException {
    guard.path(Op.TRUNCATE, src);
    return super.truncate(src, newLength, clientName);
  }

  @Override
  public void concat(String target, String[] sources) throws IOException {
    guard.path(Op.CONCAT, target);
    for (String source : sources) {
      guard.path(Op.CONCAT, source);
    }
    super.concat(target, sources);
  }

  @Override
  public boolean recoverLease(String src, String clientName) throws IOException {
    guard.path(Op.RECOVER_LEASE, src);
    return super.recoverLease(src, clientName);
  }

  @Override
  public void createSymlink(
      String target, String link, FsPermission permission, boolean createParent)
      throws IOException {
    guard.path(Op.SYMLINK, link);
    super.createSymlink(target, link, permission, createParent);
  }

  @Override
  public boolean setReplication(String src, short replication) throws IOException {
    guard.replication(src, replication);
    return super.setReplication(src, replication);
  }

  @Override
  public void setPermission(String src, FsPermission permission) throws IOException {
    if (!guard.isRoot(src) || !permission.equals(ROOT_DIRECTORY)) {
      guard.attribute(src, !isOpenToAll(permission));
    }
    super.setPermission(src, permission);
  }

  @Override
  public void setOwner(String src, String user, String group) throws IOException {
    if (!isPrepared(src)) {
      guard.attribute(src, false);
    }
    super.setOwner(src, user, group);
  }

  /**
   * Whether a superuser makes the directory of all volumes, or gives it to who runs the servers.
   * They cannot make it themselves where the root directory is not theirs.
   */
  private boolean isPrepared(String src) throws IOException {
    return guard.isRoot(src) && isSuperuser();
  }

  /** HDFS does not tell, so this asks what only superusers are told. */
  private boolean isSuperuser() throws IOException {
    try {
      super.getDatanodeReport(DatanodeReportType.DEAD);
      return true;
    } catch (AccessControlException other) {
      return false;
    }
  }

  @Override
  public void setTimes(String src, long modified, long accessed) throws IOException {
    guard.attribute(src, false);
    super.setTimes(src, modified, accessed);
  }

  @Override
  public void setQuota(String src, long names, long space, StorageType type) throws IOException {
    synchronized (quotas) {
      guard.quota(src, names, space, type);
      super.setQuota(src, names, space, type);
    }
  }

  @Override
  public void setStoragePolicy(String src, String policy) throws IOException {
    guard.attribute(src, true);
    super.setStoragePolicy(src, policy);
  }

  @Override
  public void unsetStoragePolicy(String src) throws IOException {
    guard.attribute(src, false);
    super.unsetStoragePolicy(src);
  }

  @Override
  public void satisfyStoragePolicy(String src) throws IOException {
    guard.attribute(src, true);
    super.satisfyStoragePolicy(src);
  }

  @Override
  public void setErasureCodingPolicy(String src, String policy) throws IOException {
    guard.attribute(src, true);
    super.setErasureCodingPolicy(src, policy);
  }

  @Override
  public void unsetErasureCodingPolicy(String src) throws IOException {
    guard.attribute(src, false);
    super.unsetErasureCodingPolicy(src);
  }

  @Override
  public void createEncryptionZone(String src, String key) throws IOException {
    guard.attribute(src, true);
    super.createEncryptionZone(src, key);
  }

  @Override
  public void reencryptEncryptionZone(String src, ReencryptAction action) throws IOException {
    guard.attribute(src, true);
    super.reencryptEncryptionZone(src, action);
  }

  @Override
  public void modifyAclEntries(String src, List<AclEntry> entries) throws IOException {
    guard.attribute(src, true);
    super.modifyAclEntries(src, entries);
  }

  @Override
  public void removeAclEntries(String src, List<AclEntry> entries) throws IOException {
    guard.attribute(src, false);
    super.removeAclEntries(src, entries);
  }

  @Override
  public void removeDefaultAcl(String src) throws IOException {
    guard.attribute(src, false);
    super.removeDefaultAcl(src);
  }

  @Override
  public void removeAcl(String src) throws IOException {
    guard.attribute(src, false);
    super.removeAcl(src);
  }

  @Override
  public void setAcl(String src, List<AclEntry> entries) throws IOException {
    guard.attribute(src, true);
    super.setAcl(src, entries);
  }

  @Override
  public void setXAttr(String src, XAttr attribute, EnumSet<XAttrSetFlag> flag) throws IOException {
    if (guard.isEpochWord(src, attribute)) {
      takeEpochWord(src, attribute);
      return;
    }
    guard.attribute(src, !isUsers(attribute));
    super.setXAttr(src, attribute, flag);
  }

  private void takeEpochWord(String src, XAttr word) throws IOException {
    namesystem.checkOperation(NameNode.OperationCategory.WRITE); // a standby knows old epochs
    String directory = guard.resolve(src);
    // Not the namesystem's lock, because the edit log is synced.
    synchronized (epochWords[Math.floorMod(directory.hashCode(), LOCKS)]) {
      RegionEpochs.Word taken = guard.epochWord(directory, word.getValue());
      if (taken.next().equals(taken.known())) {
        return;
      }
      closeRoot();
      if (!taken.isThere()) {
        super.mkdirs(taken.directory(), REGION_DIRECTORY, true);
      }
      super.setXAttr(
          taken.directory(),
          new XAttr.Builder()
              .setNameSpace(word.getNameSpace())
              .setName(VolumeFiles.EPOCHS)
              .setValue(taken.next().encode())
              .build(),
          EnumSet.of(XAttrSetFlag.CREATE, XAttrSetFlag.REPLACE));
    }
  }

  /** Sees to it that the directory of all volumes is there, and that nobody else looks into it. */
  private void closeRoot() throws IOException {
    HdfsFileStatus root = super.getFileInfo(GuardedPaths.ROOT);
    String caller = NameNode.getRemoteUser().getShortUserName();
    if (root == null) {
      super.mkdirs(GuardedPaths.ROOT, ROOT_DIRECTORY, true);
    } else if (!root.getPermission().equals(ROOT_DIRECTORY) && root.getOwner().equals(caller)) {
      super.setPermission(GuardedPaths.ROOT, ROOT_DIRECTORY);
    }
  }

  @Override
  public void removeXAttr(String src, XAttr attribute) throws IOException {
    guard.attribute(src, !isUsers(attribute));
    super.removeXAttr(src, attribute);
  }

  @Override
  public String createSnapshot(String src, String name) throws IOException {
    guard.subtree(Op.SNAPSHOT, src);
    return super.createSnapshot(src, name);
  }

  @Override
  public void deleteSnapshot(String src, String name) throws IOException {
    guard.path(Op.SNAPSHOT, src); // those of parents from before may go
    super.deleteSnapshot(src, name);
  }

  @Override
  public void renameSnapshot(String src, String oldName, String newName) throws IOException {
    guard.path(Op.SNAPSHOT, src);
    super.renameSnapshot(src, oldName, newName);
  }

  @Override
  public void allowSnapshot(String src) throws IOException {
    guard.subtree(Op.SNAPSHOT, src);
    super.allowSnapshot(src);
  }

  @Override
  public void disallowSnapshot(String src) throws IOException {
    guard.path(Op.SNAPSHOT, src);
    super.disallowSnapshot(src);
  }

  /** Whether everybody can go through a directory. */
  private static boolean isOpenToAll(FsPermission p) {
    return p.getUserAction().implies(FsAction.EXECUTE)
        && p.getGroupAction().implies(FsAction.EXECUTE)
        && p.getOtherAction().implies(FsAction.EXECUTE);
  }

  /** Whether HDFS itself takes no notice of the attribute. */
  private static boolean isUsers(XAttr attribute) {
    return attribute.getNameSpace() == XAttr.NameSpace.USER
        || attribute.getNameSpace() == XAttr.NameSpace.TRUSTED;
  }

  /**
   * Refuses the end of HDFS's own block recovery for volumes' files, because it would cut the
   * replicas to the shortest.
   */
  @Override
  public void commitBlockSynchronization(
      ExtendedBlock block,
      long newStamp,
      long newLength,
      boolean closeFile,
      boolean deleteBlock,
      DatanodeID[] targets,
      String[] storageIds)
      throws IOException {
    guard.never("commitBlockSynchronization", block);
    super.commitBlockSynchronization(
        block, newStamp, newLength, closeFile, deleteBlock, targets, storageIds);
  }
}
