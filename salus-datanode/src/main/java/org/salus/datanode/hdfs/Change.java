package org.salus.datanode.hdfs;

import java.util.List;
import org.salus.core.log.Permission.FileState;
import org.salus.core.log.RepairPermit;

/**
 * A mutation that a NameNode is about to make on a volume's files.
 *
 * @param op the kind of change
 * @param path absolute and resolved; for {@link Op#DELETE} and {@link Op#RENAME} it may be an
 *     ancestor of the volumes' directory
 * @param length the length in bytes of the HDFS block that comes with the call, or 0 without one;
 *     for {@link Op#COMPLETE} and {@link Op#UPDATE_PIPELINE} the file's length
 * @param before what the NameNode knows of the file
 * @param segments for {@link Op#CREATE}, {@link Op#ADD_BLOCK} and {@link Op#DELETE} the numbers of
 *     the segments whose files are in the same directory; empty for the other kinds
 * @param dataNodes for {@link Op#ADD_BLOCK} and {@link Op#UPDATE_PIPELINE} "ip:port" of each
 *     DataNode that is to have a replica; empty for the other kinds
 * @param signature the certificate as the caller sent it, never empty
 * @param repair details of {@link Op#REPORT_BAD_BLOCKS} and {@link Op#SET_REPLICATION}; null for
 *     the other kinds
 */
public record Change(
    Op op,
    String path,
    long length,
    FileState before,
    List<Long> segments,
    List<String> dataNodes,
    byte[] signature,
    RepairPermit.Call repair) {
  /** The kinds of change. Operations of one kind need the same permission. */
  public enum Op {
    CREATE,
    APPEND,
    ADD_BLOCK,
    ABANDON_BLOCK,
    COMPLETE,
    FSYNC,
    FENCE,
    UPDATE_PIPELINE,
    PIPELINE,
    REPORT_BAD_BLOCKS,
    MKDIRS,
    DELETE,
    RENAME,
    TRUNCATE,
    CONCAT,
    RECOVER_LEASE,
    SET_REPLICATION,
    SET_ATTRIBUTE,
    SYMLINK,
    SNAPSHOT
  }
}
