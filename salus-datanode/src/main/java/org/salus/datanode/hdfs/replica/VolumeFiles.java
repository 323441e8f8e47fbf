package org.salus.datanode.hdfs.replica;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DirectoryListing;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.HdfsLocatedFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.hdfs.server.namenode.SafeModeException;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorageReport;
import org.apache.hadoop.io.EnumSetWritable;
import org.apache.hadoop.ipc.RemoteException;
import org.salus.core.Reason;
import org.salus.core.log.RepairPermit;
import org.salus.core.path.FilePath;
import org.salus.core.recovery.GuardQuestion;
import org.salus.core.recovery.StampQuestion;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.wire.MalformedException;

/**
 * The NameNode's side of a volume's files (§4.2). Each file has one HDFS block with three replicas.
 * Every change carries a certificate. Calls block. Thread-safe.
 */
public final class VolumeFiles implements AutoCloseable {
  /**
   * The name, in the namespace of users, of the attribute of a region's directory that has what the
   * NameNode knows of the region's epochs ({@link EpochRegister}).
   */
  public static final String EPOCHS = "salus.epochs";

  /**
   * The name, in the same namespace, under which a member says a word about its region's epochs.
   * Only a guard makes a register of it. It is another name, so that a NameNode without a guard
   * does not put the word in the register's place.
   */
  public static final String WORD = "salus.word";

  /**
   * The free space that the NameNode demands for a block, in block sizes. It also keeps room for
   * blocks that it has just handed out.
   */
  private static final int SPACE_FACTOR = 2;

  /**
   * The most free bytes that a DataNode must have besides a new block. They are for blocks that
   * were just handed out, for checksums, and for other writers of the disk.
   */
  private static final long MOST_SPARE = 128L << 20;

  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Between two attempts while the NameNode is in safe mode. */
  private static final long SAFE_MODE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private static final SecureRandom RANDOM = new SecureRandom();

  private final DistributedFileSystem fileSystem;
  private final ClientProtocol nameNode;

  /**
   * An entry of {@link #list}.
   *
   * @param name the file's name in its directory
   * @param length bytes; for an open file, what the NameNode knows, mostly 0
   * @param underConstruction whether the file is open
   */
  public record FileEntry(String name, long length, boolean underConstruction) {}

  /** Connects to the NameNode of {@code fs.defaultFS}. */
  public VolumeFiles(Configuration settings) throws IOException {
    Configuration conf = new Configuration(settings);
    conf.setBoolean(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, false); // callers try again
    URI uri = FileSystem.getDefaultUri(conf);
    fileSystem = (DistributedFileSystem) FileSystem.newInstance(uri, conf);
    nameNode = fileSystem.getClient().getNamenode();
  }

  /** Makes a directory and its missing parents. */
  public void createDirectory(String path, byte[] certificate) throws IOException {
    Certified.call(certificate, () -> nameNode.mkdirs(path, FsPermission.getDirDefault(), true));
  }

  /**
   * Creates the file, its missing parents, and its HDFS block with one replica on each of the
   * DataNodes. When the file is closed, HDFS makes the replicas that lack of three. If the file
   * exists, open and without a block, this call takes it over. It removes a directory of that name.
   *
   * @param blockSize the number of bytes that the block may hold
   * @param dataNodes one to three DataNodes, each as "ip:port" of its data transfer server
   * @return a handle that lists the DataNodes in the given order
   * @throws VolumeFileException of kind {@code NO_SPACE} or {@code EXISTS}; or of kind {@code
   *     LOCATIONS} when the NameNode cannot take all these DataNodes, and then the file stays
   *     without a block
   */
  public BlockHandle createBlock(
      String path, long blockSize, List<String> dataNodes, byte[] certificate) throws IOException {
    requireRoom(path, needed(blockSize), dataNodes);
    try {
      return tryToCreateBlock(path, blockSize, dataNodes, certificate);
    } catch (IOException failed) {
      if (isFull(blockSize, dataNodes)) {
        throw new VolumeFileException(
            VolumeFileException.Kind.NO_SPACE,
            path + ": no room for " + blockSize + " bytes on " + dataNodes,
            failed);
      }
      throw failed;
    }
  }

  /**
   * Asks the DataNodes, because one without room would refuse its writer, and nobody can give a
   * block back.
   */
  private void requireRoom(String path, long bytes, List<String> dataNodes) throws IOException {
    for (DatanodeInfo d : nameNode.getDatanodeReport(DatanodeReportType.LIVE)) {
      if (dataNodes.contains(d.getXferAddr())
          && DataNodeSpace.isFull(d, bytes, fileSystem.getConf())) {
        throw new VolumeFileException(
            VolumeFileException.Kind.NO_SPACE, path + ": no room for " + bytes + " bytes on " + d);
      }
    }
  }

  private boolean isFull(long bytes, List<String> dataNodes) throws IOException {
    for (DatanodeInfo d : nameNode.getDatanodeReport(DatanodeReportType.LIVE)) {
      if (dataNodes.contains(d.getXferAddr())
          && DataNodeSpace.isKnownToBeFull(d, bytes * SPACE_FACTOR)) {
        return true;
      }
    }
    return false;
  }

  private BlockHandle tryToCreateBlock(
      String path, long blockSize, List<String> dataNodes, byte[] certificate) throws IOException {
    return Certified.call(
        certificate,
        () -> {
          HdfsFileStatus status = createFile(path, blockSize);
          LocatedBlock block =
              nameNode.addBlock(
                  path,
                  FilePath.holder(path),
                  null,
                  null,
                  status.getFileId(),
                  dataNodes.toArray(new String[0]),
                  EnumSet.noneOf(AddBlockFlag.class));
          return inOrder(
              new BlockHandle(path, status.getFileId(), blockSize, true, block), dataNodes);
        });
  }

  /** The free bytes that a DataNode must have for a block of this size. */
  static long needed(long blockSize) {
    return blockSize + Math.min(blockSize, MOST_SPARE);
  }

  private HdfsFileStatus createFile(String path, long blockSize) throws IOException {
    HdfsFileStatus old = nameNode.getFileInfo(path);
    if (old != null && old.isDirectory()) {
      nameNode.delete(path, true); // it is nothing of a volume's
      old = null;
    }
    if (old == null) {
      return nameNode.create(
          path,
          FsPermission.getFileDefault(),
          FilePath.holder(path),
          new EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE, CreateFlag.SHOULD_REPLICATE)),
          true,
          (short) RepairPermit.REPLICAS,
          blockSize,
          CryptoProtocolVersion.supported(),
          null,
          null);
    }
    LocatedBlocks blocks = nameNode.getBlockLocations(path, 0, Long.MAX_VALUE);
    if (old.getBlockSize() != blockSize
        || !blocks.isUnderConstruction()
        || blocks.locatedBlockCount() > 0) {
      throw new VolumeFileException(VolumeFileException.Kind.EXISTS, path + " exists");
    }
    return old;
  }

  private static BlockHandle inOrder(BlockHandle handle, List<String> dataNodes) {
    LocatedBlock was = handle.located();
    int[] from = dataNodes.stream().mapToInt(handle::indexOf).toArray();
    DatanodeInfo[] locations = new DatanodeInfo[from.length];
    String[] storages = new String[from.length];
    StorageType[] types = new org.apache.hadoop.fs.StorageType[from.length];
    for (int i = 0; i < from.length; i++) {
      locations[i] = was.getLocations()[from[i]];
      storages[i] = was.getStorageIDs()[from[i]];
      types[i] = was.getStorageTypes()[from[i]];
    }
    LocatedBlock now = new LocatedBlock(was.getBlock(), locations, storages, types);
    now.setBlockToken(was.getBlockToken());
    return new BlockHandle(handle.path(), handle.fileId(), handle.blockSize(), handle.open(), now);
  }

  /**
   * Closes the file after its replicas are finished at {@code length} bytes. A file that is already
   * closed is no error.
   */
  public void complete(String path, BlockHandle handle, long length, byte[] certificate)
      throws IOException {
    Certified.call(
        certificate,
        () -> {
          awaitComplete(path, handle.blockOfLength(length), handle.fileId());
          return null;
        });
  }

  private void awaitComplete(String path, ExtendedBlock last, long fileId) throws IOException {
    long end = System.nanoTime() + WAIT_NANOS;
    while (!nameNode.complete(path, FilePath.holder(path), last, fileId)) {
      if (System.nanoTime() > end) {
        throw new IOException(path + ": no DataNode has reported the finished block " + last);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Deletes a file, or a directory with everything in it. Returns false if it did not exist. */
  public boolean delete(String path, byte[] certificate) throws IOException {
    return Certified.call(certificate, () -> nameNode.delete(path, true));
  }

  /**
   * Has the NameNode know a region's epoch. From then on it refuses every change that an older
   * epoch has certified. Idempotent.
   *
   * @param directory the directory of the region's files
   * @return what it knows of the region's epochs then
   * @throws VolumeFileException of kind {@code REFUSED}, with the reason, when the epoch is none of
   *     the region's or is over
   */
  public EpochRegister openEpoch(String directory, EpochLink link) throws IOException {
    return say(directory, EpochRegister.opens(link));
  }

  /**
   * Has the NameNode know that a region's epoch serves. From then on it takes only epochs that
   * build on it. Idempotent.
   *
   * @param directory the directory of the region's files
   * @param proof that all members have the epoch's first manifest
   * @throws VolumeFileException of kind {@code REFUSED}, with the reason, when the epoch is over
   */
  public void epochServes(String directory, WrittenManifest proof) throws IOException {
    say(directory, EpochRegister.serves(proof));
  }

  private EpochRegister say(String directory, byte[] word) throws IOException {
    XAttr attribute =
        new XAttr.Builder().setNameSpace(XAttr.NameSpace.USER).setName(WORD).setValue(word).build();
    long end = System.nanoTime() + WAIT_NANOS;
    while (!isHeard(directory, attribute, end)) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedIOException("interrupted while the NameNode is in safe mode");
      }
      LockSupport.parkNanos(SAFE_MODE_NANOS);
    }
    EpochRegister register = register(directory);
    if (!isKnown(register, word)) {
      throw new VolumeFileException( // which is not the fault of who has said it
          VolumeFileException.Kind.REFUSED,
          "the NameNode has not taken a word about the epochs of "
              + directory
              + ", of which it knows "
              + register.newest()
              + ": "
              + (isGuarded() ? "a newer one has come between" : Reason.unguarded().words()));
    }
    return register;
  }

  private static boolean isKnown(EpochRegister register, byte[] word) {
    try {
      return register.knows(word);
    } catch (MalformedException own) {
      throw new IllegalArgumentException("not a word about an epoch", own);
    }
  }

  /** Returns false while the NameNode changes nothing, because it has just started. */
  private boolean isHeard(String directory, XAttr word, long end) throws IOException {
    try {
      Certified.typed(
          () ->
              Repeatable.call(
                  () -> {
                    nameNode.setXAttr(
                        directory, word, EnumSet.of(XAttrSetFlag.CREATE, XAttrSetFlag.REPLACE));
                    return null;
                  }));
      return true;
    } catch (RemoteException e) {
      if (!(e.unwrapRemoteException() instanceof SafeModeException)) {
        throw e;
      }
      if (System.nanoTime() < end) {
        return false;
      }
      throw new IOException(Reason.SAFE_MODE.words(), e);
    }
  }

  /**
   * Returns what the NameNode knows of a region's epochs.
   *
   * @param directory the directory of the region's files; it need not exist
   */
  public EpochRegister register(String directory) throws IOException {
    try {
      for (XAttr x : Repeatable.call(() -> nameNode.getXAttrs(directory, null))) {
        if (x.getNameSpace() == XAttr.NameSpace.USER && EPOCHS.equals(x.getName())) {
          return EpochRegister.decode(x.getValue());
        }
      }
      return EpochRegister.NONE;
    } catch (RemoteException e) {
      if (e.unwrapRemoteException() instanceof FileNotFoundException) {
        return EpochRegister.NONE;
      }
      throw e;
    } catch (MalformedException e) {
      throw new IOException("the epochs of " + directory + " cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * Asks the NameNode's guard whether the NameNode has given out a generation stamp.
   *
   * @throws VolumeFileException of kind {@code REFUSED} if the answer is no
   * @throws IOException if there is no answer
   */
  public void requireGivenOut(long stamp) throws IOException {
    StampQuestion question = new StampQuestion(stamp);
    if (!question.isAnsweredBy(ask(question.encode()))) {
      throw new IOException(
          "nobody says whether stamp " + stamp + " was given out: " + Reason.unguarded().words());
    }
  }

  /**
   * Asks the NameNode's guard a question, with a call that every user may make.
   *
   * @return the answer, or null if there is no guard
   */
  private String ask(byte[] question) throws IOException {
    try {
      Certified.call(question, () -> Repeatable.call(() -> nameNode.getFileInfo("/")));
      return null;
    } catch (RemoteException said) {
      if (said.getClassName().equals(GuardAnswerException.class.getName())) {
        return said.getMessage();
      }
      throw said;
    }
  }

  /**
   * Whether the NameNode that takes changes is guarded.
   *
   * @throws IOException if it does not say
   */
  public boolean isGuarded() throws IOException {
    GuardQuestion question = new GuardQuestion(RANDOM.nextLong());
    return question.isAnsweredBy(ask(question.encode()));
  }

  /**
   * Lists the files of a directory by name, without its directories. The list is empty if the
   * directory does not exist.
   */
  public List<FileEntry> list(String directory) throws IOException {
    List<FileEntry> entries = new ArrayList<>();
    for (HdfsFileStatus status : all(directory)) {
      if (status.isFile()) {
        LocatedBlocks blocks =
            status instanceof HdfsLocatedFileStatus located ? located.getLocatedBlocks() : null;
        entries.add(
            new FileEntry(
                status.getLocalName(),
                status.getLen(),
                blocks != null && blocks.isUnderConstruction()));
      }
    }
    return entries;
  }

  /** Lists the names of the directories in a directory; none if it does not exist. */
  public List<String> directories(String directory) throws IOException {
    return all(directory).stream()
        .filter(HdfsFileStatus::isDirectory)
        .map(HdfsFileStatus::getLocalName)
        .toList();
  }

  private List<HdfsFileStatus> all(String directory) throws IOException {
    List<HdfsFileStatus> entries = new ArrayList<>();
    byte[] after = HdfsFileStatus.EMPTY_NAME;
    DirectoryListing page;
    do {
      byte[] from = after;
      page = Repeatable.call(() -> nameNode.getListing(directory, from, true));
      if (page == null) {
        return List.of();
      }
      entries.addAll(Arrays.asList(page.getPartialListing()));
      after = page.getLastName();
    } while (page.hasMore());
    return entries;
  }

  /**
   * Returns the block of an open or closed file, or empty if the file or its block does not exist.
   */
  public Optional<BlockHandle> locate(String path) throws IOException {
    HdfsLocatedFileStatus status = Repeatable.call(() -> nameNode.getLocatedFileInfo(path, true));
    if (status == null) {
      return Optional.empty();
    }
    LocatedBlocks blocks = status.getLocatedBlocks();
    LocatedBlock block =
        blocks.locatedBlockCount() > 0 ? blocks.get(0) : blocks.getLastLocatedBlock();
    return Optional.ofNullable(block)
        .map(
            b ->
                new BlockHandle(
                    path,
                    status.getFileId(),
                    status.getBlockSize(),
                    blocks.isUnderConstruction(),
                    b));
  }

  /**
   * Whether the NameNode has the block of a file as finished, though it may have the file as open.
   */
  public boolean isBlockComplete(String path) throws IOException {
    LocatedBlocks blocks =
        Repeatable.call(() -> nameNode.getBlockLocations(path, 0, Long.MAX_VALUE));
    return blocks != null && blocks.isLastBlockComplete();
  }

  /**
   * Returns a DataNode by its "ip:port". If the NameNode does not know that it has the block, it
   * must be alive.
   */
  DatanodeInfo dataNode(BlockHandle handle, String address) throws IOException {
    int index = handle.indexOf(address);
    return index >= 0 ? handle.located().getLocations()[index] : liveDataNode(address);
  }

  /**
   * Returns the handle with more DataNodes. After its restart, the NameNode does not know of an
   * open file's replicas until the DataNodes report them; a DataNode may also get its first one. A
   * DataNode that is not alive is left out.
   *
   * @param dataNodes "ip:port" of each DataNode that is wanted
   */
  public BlockHandle withReplicas(BlockHandle handle, List<String> dataNodes) throws IOException {
    if (handle.dataNodes().containsAll(dataNodes)) {
      return handle;
    }
    LocatedBlock was = handle.located();
    List<DatanodeInfo> locations = new ArrayList<>(List.of(was.getLocations()));
    List<String> storages = new ArrayList<>(List.of(was.getStorageIDs()));
    List<StorageType> types = new ArrayList<>(List.of(was.getStorageTypes()));
    for (DatanodeStorageReport d :
        Repeatable.call(() -> nameNode.getDatanodeStorageReport(DatanodeReportType.LIVE))) {
      String name = d.getDatanodeInfo().getXferAddr();
      if (dataNodes.contains(name)
          && handle.indexOf(name) < 0
          && d.getStorageReports().length > 0) {
        DatanodeStorage first = d.getStorageReports()[0].getStorage();
        locations.add(d.getDatanodeInfo());
        storages.add(first.getStorageID());
        types.add(first.getStorageType());
      }
    }
    LocatedBlock now =
        new LocatedBlock(
            was.getBlock(),
            locations.toArray(new DatanodeInfo[0]),
            storages.toArray(new String[0]),
            types.toArray(new StorageType[0]));
    now.setBlockToken(was.getBlockToken());
    return new BlockHandle(handle.path(), handle.fileId(), handle.blockSize(), handle.open(), now);
  }

  /** Returns a live DataNode by its "ip:port". */
  DatanodeInfo liveDataNode(String address) throws IOException {
    for (DatanodeInfo d :
        Repeatable.call(() -> nameNode.getDatanodeReport(DatanodeReportType.LIVE))) {
      if (d.getXferAddr().equals(address)) {
        return d;
      }
    }
    throw new IOException("DataNode " + address + " is not alive");
  }

  /** Returns the number of replicas that the file is to have, or 0 if it does not exist. */
  public int replication(String path) throws IOException {
    HdfsFileStatus status = nameNode.getFileInfo(path);
    return status == null ? 0 : status.getReplication();
  }

  /** Renews the leases of a directory's open files. Once an hour is enough. */
  public void renewLease(String directory) throws IOException {
    nameNode.renewLease(FilePath.holder(directory + "/"), null);
  }

  ClientProtocol nameNode() {
    return nameNode;
  }

  @Override
  public void close() throws IOException {
    fileSystem.close();
  }
}
