package org.salus.datanode.hdfs;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.namenode.FSDirectory;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.QuotaCounts;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.Quota;
import org.salus.core.log.LogRules;
import org.salus.core.log.Permission.FileState;
import org.salus.core.log.RepairPermit;
import org.salus.core.path.FilePath;
import org.salus.core.recovery.GuardQuestion;
import org.salus.core.recovery.StampQuestion;
import org.salus.core.wire.MalformedException;
import org.salus.datanode.hdfs.Change.Op;
import org.salus.datanode.hdfs.replica.GuardAnswerException;
import org.salus.datanode.hdfs.replica.UnreportedException;
import org.salus.datanode.hdfs.replica.VolumeFiles;

/**
 * Finds out whether a call touches the volumes' directory, however the call names the file. If so,
 * it asks the guard. Files enter and leave the directory only by guarded calls, so the answer still
 * holds when the call is carried out. Thread-safe.
 */
final class GuardedPaths {
  static final String ROOT = "/salus";

  private static final Set<CreateFlag> PLAIN =
      EnumSet.of(CreateFlag.CREATE, CreateFlag.SHOULD_REPLICATE);

  private final FSNamesystem namesystem;
  private final ReplicaReports reports;
  private final ChangeGuard guard;
  private final RegionEpochs epochs;

  private GuardedPaths(FSNamesystem namesystem, ReplicaReports reports, ChangeGuard guard) {
    this.namesystem = namesystem;
    this.reports = reports;
    this.guard = guard;
    this.epochs = new RegionEpochs(namesystem, reports, guard);
  }

  /**
   * Paths whose register the guard of this configuration asks from now on.
   *
   * @param reports what DataNodes report of blocks that are being recovered
   */
  static GuardedPaths of(FSNamesystem namesystem, ReplicaReports reports, Configuration conf) {
    GuardedPaths paths = new GuardedPaths(namesystem, reports, ChangeGuards.of(conf));
    paths.guard.use(paths.epochs::register);
    return paths;
  }

  /** Checks a change of the path itself. */
  void path(Op op, String path) throws IOException {
    path(op, path, 0);
  }

  private void path(Op op, String path, long length) throws IOException {
    String resolved = resolve(path);
    if (inside(resolved)) {
      ask(op, resolved, length);
    }
  }

  /**
   * Checks the creation of a file. It must be plain, because what else can be asked for makes the
   * file replace another one, or have fewer replicas than its members write. The certificate does
   * not say who asks for it, and any member must be able to read the file and to recover it.
   *
   * @param holder who may write, recover and complete the file
   */
  void create(
      String path,
      FsPermission mode,
      String holder,
      EnumSet<CreateFlag> flags,
      short replicas,
      String erasureCoding,
      String storagePolicy)
      throws IOException {
    String resolved = resolve(path);
    if (!inside(resolved)) {
      return;
    }
    ask(Op.CREATE, resolved, 0);
    if (!PLAIN.containsAll(flags)
        || replicas != RepairPermit.REPLICAS
        || isSet(erasureCoding)
        || isSet(storagePolicy)) {
      throw refuse(
          Op.CREATE, resolved + " can only be created with three whole replicas on plain disks");
    }
    if (!holder.equals(FilePath.holder(resolved))
        || mode.toShort() != FsPermission.getFileDefault().toShort()) {
      throw refuse(
          Op.CREATE,
          resolved
              + " can only be created by "
              + FilePath.holder(resolved)
              + " with mode "
              + FsPermission.getFileDefault()
              + ", not by "
              + holder
              + " with "
              + mode);
    }
  }

  private static boolean isSet(String policy) {
    return policy != null && !policy.isEmpty();
  }

  /**
   * Checks that a file gets its first block. Returns whether it is a volume's, so that {@link
   * #isPlaced} must hold.
   *
   * @param previous the block that the call commits, or null
   * @param hints the DataNodes on which the caller wants it
   */
  boolean addBlock(String path, long fileId, ExtendedBlock previous, List<String> hints)
      throws IOException {
    file(Op.ADD_BLOCK, path, fileId, previous, hints);
    boolean is =
        inside(resolve(path))
            || fileId != HdfsConstants.GRANDFATHER_INODE_ID && inside(pathOf(fileId));
    if (is && previous != null) {
      throw refuse(Op.ADD_BLOCK, path + " has one block only, so no block can be before it");
    }
    return is;
  }

  /** The DataNodes that may not get a block with these hints. */
  DatanodeInfo[] allBut(List<String> hints) {
    return namesystem
        .getBlockManager()
        .getDatanodeManager()
        .getDatanodeListForReport(HdfsConstants.DatanodeReportType.LIVE)
        .stream()
        .filter(d -> !hints.contains(d.getXferAddr()))
        .toArray(DatanodeInfo[]::new);
  }

  /** Whether a block is on the hinted DataNodes and on no other. */
  static boolean isPlaced(LocatedBlock block, List<String> hints) {
    return Arrays.stream(block.getLocations())
        .map(DatanodeID::getXferAddr)
        .collect(Collectors.toSet())
        .equals(Set.copyOf(hints));
  }

  /** Checks a change of the path and of everything below it. */
  void subtree(Op op, String path) throws IOException {
    String resolved = resolve(path);
    if (inside(resolved) || resolved.equals("/")) {
      ask(op, resolved, 0);
    }
  }

  /**
   * Checks a change of a directory's attribute. One of an ancestor of the volumes' directory that
   * would bind everything below is refused: nobody may limit, move or lock out the volumes. Other
   * data has directories of its own.
   *
   * @param binds whether the attribute counts for everything below
   */
  void attribute(String path, boolean binds) throws IOException {
    path(Op.SET_ATTRIBUTE, path);
    if (binds && resolve(path).equals("/")) {
      throw refuse(
          Op.SET_ATTRIBUTE,
          "this would apply to the volumes in " + ROOT + " too; set it on other directories");
    }
  }

  /**
   * Checks a change of a directory's quotas. Those that bind all volumes may be widened, because
   * that is the way out when one is used up.
   *
   * @param names {@code QUOTA_DONT_SET} to leave it; {@code bytes} likewise
   * @param type the storage for which {@code bytes} counts, or null for all
   */
  void quota(String path, long names, long bytes, StorageType type) throws IOException {
    String resolved = resolve(path);
    if ((resolved.equals("/") || resolved.equals(ROOT)) && isWider(resolved, names, bytes, type)) {
      return;
    }
    attribute(resolved, true);
  }

  private boolean isWider(String directory, long names, long bytes, StorageType type)
      throws IOException {
    namesystem.readLock();
    try {
      namesystem.checkOperation(NameNode.OperationCategory.WRITE); // a standby knows old quotas
      INode inode = namesystem.getFSDirectory().getINode(directory, FSDirectory.DirOp.READ);
      if (inode == null) {
        return false;
      }
      QuotaCounts present = inode.getQuotaCounts();
      long presentBytes =
          type == null ? present.getStorageSpace() : present.getTypeSpaces().get(type);
      return mayBecome(present.getNameSpace(), names) && mayBecome(presentBytes, bytes);
    } finally {
      namesystem.readUnlock("salusQuota");
    }
  }

  private static boolean mayBecome(long present, long next) {
    return next == HdfsConstants.QUOTA_DONT_SET || Quota.mayBecome(present, next);
  }

  /** Whether the change of an attribute is a member's word about its region's epochs. */
  boolean isEpochWord(String path, XAttr attribute) throws IOException {
    return attribute.getNameSpace() == XAttr.NameSpace.USER
        && VolumeFiles.WORD.equals(attribute.getName())
        && inside(resolve(path));
  }

  /**
   * Takes a member's word. Words about one region come one at a time, until what they change is
   * stored.
   *
   * @param directory the directory of the region's files, {@linkplain #resolve resolved}
   * @throws AccessControlException if the word does not count
   */
  RegionEpochs.Word epochWord(String directory, byte[] word) throws IOException {
    return epochs.take(directory, state(directory) == FileState.DIRECTORY, word);
  }

  void rename(String from, String to) throws IOException {
    subtree(Op.RENAME, from);
    path(Op.RENAME, to);
    // An existing directory as the target takes the source in under its own name.
    String name = from.substring(from.lastIndexOf('/') + 1);
    if (!name.isEmpty()) {
      path(Op.RENAME, to + "/" + name);
    }
  }

  /**
   * Checks a change of a file by its path, its id and its block. The NameNode prefers the id to the
   * path if there is one.
   */
  void file(Op op, String path, long fileId, ExtendedBlock block) throws IOException {
    file(op, path, fileId, block, List.of());
  }

  private void file(Op op, String path, long fileId, ExtendedBlock block, List<String> dataNodes)
      throws IOException {
    Set<String> named = new LinkedHashSet<>();
    named.add(resolve(path));
    if (fileId != HdfsConstants.GRANDFATHER_INODE_ID) {
      named.add(pathOf(fileId));
    }
    named.add(owner(block));
    for (String each : named) {
      if (inside(each)) {
        ask(op, each, length(block), dataNodes, null);
      }
    }
  }

  void block(Op op, ExtendedBlock block) throws IOException {
    block(op, block, List.of());
  }

  private void block(Op op, ExtendedBlock block, List<String> dataNodes) throws IOException {
    String owner = owner(block);
    if (inside(owner)) {
      ask(op, owner, length(block), dataNodes, null);
    }
  }

  /** A block gets a new stamp. What DataNodes report of a volume's block is noted from now on. */
  void fenced(ExtendedBlock block) {
    BlockInfo stored = stored(block);
    if (stored != null && inside(pathOf(stored.getBlockCollectionId()))) {
      reports.note(stored);
    }
  }

  /**
   * Checks that a block keeps its replicas at the members of its region, and that each DataNode has
   * itself reported the new stamp. HDFS deletes the replicas that a pipeline leaves out, and those
   * with an older stamp.
   *
   * @param old the block whose stamp changes
   * @param block gives the new stamp. HDFS does not ask whether it is the same block.
   * @throws UnreportedException if DataNodes have not reported it yet; ask again
   */
  void pipeline(ExtendedBlock old, ExtendedBlock block, DatanodeID[] nodes) throws IOException {
    List<String> kept =
        nodes == null ? List.of() : Arrays.stream(nodes).map(DatanodeID::getXferAddr).toList();
    block(Op.UPDATE_PIPELINE, old, kept);
    block(Op.UPDATE_PIPELINE, block, kept);
    String owner = owner(old);
    if (!inside(owner)) {
      return;
    }
    if (old.getBlockId() != block.getBlockId()
        || !old.getBlockPoolId().equals(block.getBlockPoolId())) {
      throw refuse(
          Op.UPDATE_PIPELINE,
          Op.UPDATE_PIPELINE
              + " of "
              + owner
              + " refused: its block is "
              + old.getLocalBlock()
              + ", not "
              + block.getLocalBlock());
    }
    Set<String> unreported = reports.unreported(block.getLocalBlock(), Set.copyOf(kept));
    if (!unreported.isEmpty()) {
      throw UnreportedException.of(owner, block.getGenerationStamp(), unreported);
    }
  }

  private static long length(ExtendedBlock block) {
    return block == null ? 0 : block.getNumBytes();
  }

  /** Checks the report, from a client or a DataNode, that these replicas are bad. */
  void badReplicas(LocatedBlock[] blocks) throws IOException {
    for (LocatedBlock block : blocks) {
      String owner = owner(block.getBlock());
      if (inside(owner)) {
        List<String> bad =
            Arrays.stream(block.getLocations()).map(DatanodeID::getXferAddr).toList();
        ask(
            Op.REPORT_BAD_BLOCKS,
            owner,
            0,
            List.of(),
            new RepairPermit.Call(block.getBlock().getBlockId(), bad, 0));
      }
    }
  }

  void replication(String path, int replicas) throws IOException {
    String resolved = resolve(path);
    if (!inside(resolved)) {
      return;
    }
    ask(Op.SET_REPLICATION, resolved, 0, List.of(), replicationOf(resolved, replicas));
  }

  /** The call that sets the replication of a volume's file. */
  private RepairPermit.Call replicationOf(String path, int replicas) throws IOException {
    namesystem.readLock();
    try {
      INode inode = namesystem.getFSDirectory().getINode(path, FSDirectory.DirOp.READ);
      BlockInfo block = inode != null && inode.isFile() ? inode.asFile().getLastBlock() : null;
      if (block == null) {
        throw refuse(Op.SET_REPLICATION, path + " has no replicas");
      }
      // It is a view of what HDFS changes under the write lock.
      Collection<DatanodeDescriptor> corrupt =
          namesystem.getBlockManager().getCorruptReplicas(block);
      List<String> bad =
          corrupt == null ? List.of() : corrupt.stream().map(DatanodeID::getXferAddr).toList();
      return new RepairPermit.Call(block.getBlockId(), bad, replicas);
    } finally {
      namesystem.readUnlock("salusReplicationOf");
    }
  }

  /**
   * Answers a question to the guard if the call is one: whether this NameNode is guarded, or
   * whether it has given out a stamp. Every answer is an exception, so silence is none.
   *
   * @throws GuardAnswerException if the answer is yes
   * @throws AccessControlException if the answer is no
   */
  void answer(String path) throws IOException {
    byte[] question = path.equals("/") ? signature() : null;
    if (question == null) {
      return;
    }
    try {
      String answer = GuardQuestion.decode(question).answer();
      namesystem.checkOperation(NameNode.OperationCategory.WRITE); // the active one is meant
      throw new GuardAnswerException(answer);
    } catch (MalformedException other) {
      answerAboutStamp(question);
    }
  }

  private void answerAboutStamp(byte[] question) throws IOException {
    try {
      StampQuestion stamp = StampQuestion.decode(question);
      namesystem.readLock(); // a NameNode that becomes active reads the newest stamps under it
      try {
        namesystem.checkOperation(NameNode.OperationCategory.WRITE); // a standby knows old stamps
        requireStamp(stamp.stamp());
      } finally {
        namesystem.readUnlock("salusStamp");
      }
      throw new GuardAnswerException(stamp.answer());
    } catch (MalformedException noQuestion) {
      return; // other programs sign their calls, too
    }
  }

  /** Whether the path is the directory of all volumes. */
  boolean isRoot(String path) throws IOException {
    return resolve(path).equals(ROOT);
  }

  private void requireStamp(long stamp) throws AccessControlException {
    long newest = namesystem.getBlockManager().getBlockIdManager().getGenerationStamp();
    if (!LogRules.PAPER.isGivenOut(newest, stamp)) {
      throw Refusals.ordinary(
          "the NameNode has not given out stamp " + stamp + "; the newest is " + newest);
    }
  }

  /** Refuses the operation on a volume's block without asking the guard. */
  void never(String operation, ExtendedBlock block) throws IOException {
    String owner = owner(block);
    if (inside(owner)) {
      throw refuse(operation, operation + " is not allowed on " + owner);
    }
  }

  private AccessControlException refuse(Op op, String why) throws IOException {
    return refuse(op.name(), why);
  }

  /**
   * The answer to what is never allowed. Only an active NameNode gives it: the client of a standby
   * goes on to the active one.
   */
  private AccessControlException refuse(String kind, String why) throws IOException {
    namesystem.checkOperation(NameNode.OperationCategory.WRITE);
    return Refusals.refuse(kind, why);
  }

  private void ask(Op op, String path, long length) throws IOException {
    ask(op, path, length, List.of(), null);
  }

  private void ask(
      Op op, String path, long length, List<String> dataNodes, RepairPermit.Call repair)
      throws IOException {
    namesystem.checkOperation(NameNode.OperationCategory.WRITE); // a standby knows old epochs
    byte[] signature = signature();
    if (signature == null) {
      String why = op + " of " + path + " needs a certificate";
      // HDFS reports bad replicas by itself, many when a disk rots.
      throw op == Op.REPORT_BAD_BLOCKS ? Refusals.ordinary(why) : refuse(op, why);
    }
    boolean hasTurn = op == Op.CREATE || op == Op.ADD_BLOCK || op == Op.DELETE;
    List<Long> segments =
        hasTurn && FilePath.parse(path) != null ? epochs.segmentsBeside(path) : List.of();
    guard.check(new Change(op, path, length, state(path), segments, dataNodes, signature, repair));
  }

  /** What the caller shows, or null. */
  private static byte[] signature() {
    CallerContext context = CallerContext.getCurrent();
    byte[] signature = context == null ? null : context.getSignature();
    return signature == null || signature.length == 0 ? null : signature;
  }

  private FileState state(String path) throws AccessControlException {
    namesystem.readLock();
    try {
      INode inode = namesystem.getFSDirectory().getINode(path, FSDirectory.DirOp.READ);
      if (inode == null) {
        return FileState.ABSENT;
      }
      if (inode.isDirectory()) {
        return FileState.DIRECTORY;
      }
      boolean isEmpty = inode.isFile() && inode.asFile().numBlocks() == 0;
      return isEmpty ? FileState.EMPTY : FileState.WITH_BLOCK;
    } catch (IOException e) {
      throw Refusals.ordinary(path + " cannot be looked up: " + e.getMessage());
    } finally {
      namesystem.readUnlock("salusState");
    }
  }

  private static boolean inside(String path) {
    return path != null
        && path.startsWith(ROOT)
        && (path.length() == ROOT.length() || path.charAt(ROOT.length()) == '/');
  }

  /**
   * Returns the path without reserved prefixes and repeated slashes. An unknown inode id is an
   * error, because it could become the id of a volume's file.
   */
  String resolve(String path) throws IOException {
    String plain = path.replaceAll("/+", "/");
    if (plain.length() > 1 && plain.endsWith("/")) {
      plain = plain.substring(0, plain.length() - 1);
    }
    if (!plain.startsWith("/.reserved/")) {
      return plain;
    }
    namesystem.readLock();
    try {
      return namesystem.getFSDirectory().unprotectedResolvePath(plain).getPath();
    } finally {
      namesystem.readUnlock("salusResolve");
    }
  }

  private String pathOf(long fileId) {
    namesystem.readLock();
    try {
      INode inode = namesystem.getFSDirectory().getInode(fileId);
      return inode == null ? null : inode.getFullPathName();
    } finally {
      namesystem.readUnlock("salusPathOf");
    }
  }

  private String owner(ExtendedBlock block) {
    BlockInfo stored = block == null ? null : stored(block);
    return stored == null ? null : pathOf(stored.getBlockCollectionId());
  }

  /** Returns the NameNode's own entry of a block, or null. */
  private BlockInfo stored(ExtendedBlock block) {
    namesystem.readLock();
    try {
      return namesystem.getBlockManager().getStoredBlock(block.getLocalBlock());
    } finally {
      namesystem.readUnlock("salusOwner");
    }
  }
}
