package org.salus.datanode.hdfs;

import org.salus.core.log.RepairPermit;

/**
 * A mutation that a NameNode is about to make on a volume's files. {@code path} is absolute and
 * resolved; for {@link Op#DELETE} and {@link Op#RENAME} it may be an ancestor of the volumes'
 * directory. {@code signature} is the certificate as the caller sent it, never empty. {@code
 * length} is the block's that comes with the call, 0 where none does: for {@link Op#COMPLETE} and
 * {@link Op#UPDATE_PIPELINE} the file's. {@code repair} says more of {@link Op#REPORT_BAD_BLOCKS}
 * and {@link Op#SET_REPLICATION}; else it is null.
 */
public record Change(Op op, String path, long length, byte[] signature, RepairPermit.Call repair) {
  /** The kinds of change; operations of a kind need the same permission. */
  public enum Op {
    CREATE,
    APPEND,
    ADD_BLOCK,
    ABANDON_BLOCK,
    COMPLETE,
    FSYNC,
    FENCE,
    UPDATE_PIPELINE,
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
