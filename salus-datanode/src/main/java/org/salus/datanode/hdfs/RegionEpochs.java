package org.salus.datanode.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.namenode.FSDirectory;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.hdfs.server.namenode.XAttrStorage;
import org.apache.hadoop.hdfs.server.namenode.snapshot.Snapshot;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.path.FilePath;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.wire.MalformedException;
import org.salus.datanode.hdfs.replica.VolumeFiles;

/**
 * What the NameNode keeps of the epochs of regions, with their directories, and what members' words
 * make of it. Thread-safe.
 */
final class RegionEpochs {
  /** More than any word about an epoch has, in bytes. */
  private static final int MOST_WORD = 64 << 10;

  private final FSNamesystem namesystem;
  private final ReplicaReports reports;
  private final ChangeGuard guard;

  RegionEpochs(FSNamesystem namesystem, ReplicaReports reports, ChangeGuard guard) {
    this.namesystem = namesystem;
    this.reports = reports;
    this.guard = guard;
  }

  /**
   * A member's word about the epochs of its region, with what comes of it.
   *
   * @param directory the directory of the region's files
   * @param isThere whether the directory exists
   * @param known what the NameNode has known
   * @param next what it knows from now on
   */
  record Word(String directory, boolean isThere, EpochRegister known, EpochRegister next) {}

  /**
   * Takes a member's word. Words about one region come one at a time, until what they change is
   * stored. Only an active NameNode is asked.
   *
   * @param isThere whether the directory exists
   * @throws AccessControlException if the word does not count
   */
  Word take(String directory, boolean isThere, byte[] word) throws IOException {
    if (word != null && word.length > MOST_WORD) {
      throw Refusals.refuse(
          Refusals.EPOCH_WORD, "no word about an epoch of " + directory + " is so long");
    }
    EpochRegister known = register(directory);
    if (known.newest() == null && isThere && hasFiles(directory)) {
      throw Refusals.refuse(Refusals.EPOCH_WORD, directory + " has files of unknown epochs");
    }
    EpochRegister next =
        guard.take(directory, known, openFiles(directory), word == null ? new byte[0] : word);
    if (!isThere) {
      guard.checkRegion(directory);
    }
    return new Word(directory, isThere, known, next);
  }

  /** What is kept of a region's epochs. */
  EpochRegister register(String directory) throws AccessControlException {
    try {
      XAttr kept = kept(directory);
      return kept == null ? EpochRegister.NONE : EpochRegister.decode(kept.getValue());
    } catch (IOException | MalformedException e) {
      throw Refusals.refuse(
          Refusals.EPOCH_WORD, "the epochs of " + directory + " cannot be read: " + e.getMessage());
    }
  }

  private XAttr kept(String directory) throws IOException {
    namesystem.readLock();
    try {
      INode inode = namesystem.getFSDirectory().getINode(directory, FSDirectory.DirOp.READ);
      return inode == null
          ? null
          : XAttrStorage.readINodeXAttrByPrefixedName(
              inode, Snapshot.CURRENT_STATE_ID, "user." + VolumeFiles.EPOCHS);
    } finally {
      namesystem.readUnlock("salusRegister");
    }
  }

  /** The region's segments whose blocks are not complete. */
  private Map<Long, EpochRegister.OpenFile> openFiles(String directory) throws IOException {
    Map<Long, EpochRegister.OpenFile> open = new TreeMap<>();
    namesystem.readLock();
    try {
      INode inode = namesystem.getFSDirectory().getINode(directory, FSDirectory.DirOp.READ);
      if (inode == null) {
        return open;
      }
      for (INode child : inode.asDirectory().getChildrenList(Snapshot.CURRENT_STATE_ID)) {
        FilePath path = FilePath.parse(directory + "/" + child.getLocalName());
        BlockInfo block = child.isFile() ? child.asFile().getLastBlock() : null;
        if (path != null
            && path.kind() == FilePath.Kind.LOG
            && block != null
            && !block.isCompleteOrCommitted()) {
          open.put(
              path.number(),
              new EpochRegister.OpenFile(block.getGenerationStamp(), reports.of(block)));
        }
      }
      return open;
    } finally {
      namesystem.readUnlock("salusOpenFiles");
    }
  }

  /** The numbers of the segments whose files are in the directory of this file. */
  List<Long> segmentsBeside(String file) throws IOException {
    String directory = file.substring(0, file.lastIndexOf('/'));
    List<Long> numbers = new ArrayList<>();
    namesystem.readLock();
    try {
      INode inode = namesystem.getFSDirectory().getINode(directory, FSDirectory.DirOp.READ);
      if (inode == null || !inode.isDirectory()) {
        return numbers;
      }
      for (INode child : inode.asDirectory().getChildrenList(Snapshot.CURRENT_STATE_ID)) {
        FilePath path = FilePath.parse(directory + "/" + child.getLocalName());
        if (path != null && path.kind() == FilePath.Kind.LOG && child.isFile()) {
          numbers.add(path.number());
        }
      }
      return numbers;
    } finally {
      namesystem.readUnlock("salusSegmentsBeside");
    }
  }

  private boolean hasFiles(String directory) throws IOException {
    namesystem.readLock();
    try {
      INode inode = namesystem.getFSDirectory().getINode(directory, FSDirectory.DirOp.READ);
      if (inode == null) {
        return false;
      }
      for (INode child : inode.asDirectory().getChildrenList(Snapshot.CURRENT_STATE_ID)) {
        if (child.isFile()) {
          return true;
        }
      }
      return false;
    } finally {
      namesystem.readUnlock("salusHasFiles");
    }
  }
}
