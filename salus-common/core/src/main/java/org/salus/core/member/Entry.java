package org.salus.core.member;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.log.LogRecord;
import org.salus.core.log.SubBatch;

/** A record that this member has accepted and that becomes certified and written. */
final class Entry {
  final LogRecord record;

  /**
   * The sub-batch of a PUT record, without the PUTs themselves, which the record has; else null.
   */
  final SubBatch batch;

  /** Signatures of this member and those before it in the chain. */
  final List<byte[]> signatures;

  /**
   * The bytes to append and forward. They are kept until the record is certified, in case they must
   * be sent again.
   */
  ByteBuffer payload;

  /** All members' signatures, or null while they are not known. */
  List<byte[]> certificate;

  boolean bodyAppended;
  boolean trailerAppended;
  boolean durable;

  Entry(LogRecord record, SubBatch batch, List<byte[]> signatures, ByteBuffer payload) {
    this.record = record;
    this.batch = batch == null ? null : batch.withoutPuts();
    this.signatures = List.copyOf(signatures);
    this.payload = payload;
  }

  boolean syncs() {
    return batch == null || batch.sync();
  }
}
