package org.salus.regionserver.hbase;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hbase.io.FSDataInputStreamWrapper;

/** Has HBase check its own checksums: nobody else does where a replica is read from its block file. */
final class VerifiedInput extends FSDataInputStreamWrapper {

  VerifiedInput(FSDataInputStream replica) {
    super(replica);
  }

  @Override
  public boolean shouldUseHBaseChecksum() {
    return true;
  }

  /** HBase would read once more and check nothing. */
  @Override
  public FSDataInputStream fallbackToFsChecksum(int offCount) throws IOException {
    throw new IOException("its checksum is wrong");
  }
}
