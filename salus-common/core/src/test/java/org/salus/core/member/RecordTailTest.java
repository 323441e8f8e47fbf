package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.effect.MemberEffect.Append;
import org.salus.core.log.Durable;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.Position;
import org.salus.core.log.SubBatch;

class RecordTailTest {
  private static final byte[] EMPTY = {};
  private static final List<byte[]> CERTIFICATE = Collections.nCopies(3, new byte[Signer.BYTES]);
  private static final int LARGE = 100_000;

  private final RecordTail tail = new RecordTail(3, false);
  private final Outbox out = new Outbox();
  private Position next = new Position(1, 0);

  /** A PUT of the batch with this one seq, behind the record before. */
  private Entry add(long seq, int payload, boolean sync) {
    SubBatch b =
        new SubBatch(
            1,
            0,
            seq,
            seq,
            seq - 1,
            0,
            Durable.NOTHING,
            new SubBatch.Participants(0, List.of(0), List.of(7)),
            SubBatch.PrevLeader.NONE,
            sync,
            new byte[32],
            List.of());
    LogRecord r =
        new LogRecord(
            new LogRequest(LogRecord.Type.PUT, new RegionId(1, 0), 7, EMPTY, 0),
            next,
            payload,
            EMPTY);
    Entry e = new Entry(r, b, List.of(), ByteBuffer.allocate(payload));
    tail.add(e);
    next = next.plus(r.length(3));
    return e;
  }

  private Entry add(long seq) {
    return add(seq, 100, false);
  }

  private List<Append> appended() {
    tail.append(out);
    return out.take().stream().map(Append.class::cast).toList();
  }

  private static long bytes(Append a) {
    return a.bytes().stream().mapToLong(ByteBuffer::remaining).sum();
  }

  @Test
  void smallRecordIsAppendedTogetherWithItsCertificate() {
    Entry e = add(1);
    assertThat(appended()).isEmpty();
    e.certificate = CERTIFICATE;
    List<Append> appends = appended();
    assertThat(appends).hasSize(1);
    assertThat(appends.get(0).at()).isEqualTo(new Position(1, 0));
    assertThat(bytes(appends.get(0))).isEqualTo(e.record.length(3));
    assertThat(appended()).as("again").isEmpty();
  }

  @Test
  void largePayloadIsAppendedBeforeItsCertificate() {
    Entry e = add(1, LARGE, false);
    List<Append> body = appended();
    assertThat(body).hasSize(1);
    assertThat(bytes(body.get(0))).isEqualTo(e.record.header().length + LARGE);
    e.certificate = CERTIFICATE;
    List<Append> trailer = appended();
    assertThat(trailer).hasSize(1);
    assertThat(trailer.get(0).at()).isEqualTo(new Position(1, bytes(body.get(0))));
    assertThat(bytes(body.get(0)) + bytes(trailer.get(0))).isEqualTo(e.record.length(3));
  }

  @Test
  void subBatchWaitsForCertificatesThenForItsReplica() {
    Entry first = add(1, LARGE, false);
    Entry second = add(2);
    appended();
    second.certificate = CERTIFICATE;
    appended();
    assertThat(tail.unwritten(false))
        .as("the second one waits for the certificate of the first")
        .containsExactly(second.record.at(), next);
    assertThat(tail.unwritten(true)).isEmpty();
    first.certificate = CERTIFICATE;
    appended();
    assertThat(tail.unwritten(false)).isEmpty();
    assertThat(tail.unwritten(true)).as("the DataNode has not acknowledged").hasSize(2);
    tail.durable(second.record.at());
    assertThat(tail.unwritten(true)).containsExactly(next);
    tail.durable(next);
    assertThat(tail.unwritten(true)).isEmpty();
  }

  @Test
  void recordWaitsForTheOneBeforeIt() {
    Entry first = add(1);
    Entry second = add(2);
    second.certificate = CERTIFICATE;
    assertThat(appended()).isEmpty();
    first.certificate = CERTIFICATE;
    List<Append> both = appended();
    assertThat(both).hasSize(1);
    assertThat(bytes(both.get(0))).isEqualTo(first.record.length(3) + second.record.length(3));
  }

  @Test
  void noAppendSpansTwoSegments() {
    add(1).certificate = CERTIFICATE;
    next = new Position(2, 0);
    add(2).certificate = CERTIFICATE;
    assertThat(appended())
        .extracting(Append::at)
        .containsExactly(new Position(1, 0), new Position(2, 0));
  }

  @Test
  void appendIsSyncedWhenOneOfItsRecordsAsksForIt() {
    add(1).certificate = CERTIFICATE;
    assertThat(appended()).extracting(Append::sync).containsExactly(false);
    add(2).certificate = CERTIFICATE;
    add(3, 100, true).certificate = CERTIFICATE;
    assertThat(appended()).extracting(Append::sync).containsExactly(true);
  }

  @Test
  void recordIsDurableOnceWithItsWholeTrailer() {
    Entry e = add(1);
    e.certificate = CERTIFICATE;
    tail.append(out);
    assertThat(tail.durable(new Position(1, e.record.length(3) - 1))).isEmpty();
    assertThat(tail.durable(next)).containsExactly(e);
    assertThat(tail.durable(next)).as("again").isEmpty();
  }

  @Test
  void onlyTheNewestSettledSubBatchesAreKept() {
    Entry oldest = add(1);
    for (long seq = 2; seq <= 65; seq++) {
      add(seq);
    }
    tail.prune(65);
    assertThat(tail.find(oldest.batch)).as("not durable").isSameAs(oldest);
    for (Entry e = oldest; e != null; e = tail.uncertified(1).stream().findFirst().orElse(null)) {
      e.certificate = CERTIFICATE;
    }
    tail.append(out);
    tail.durable(next);
    tail.prune(0);
    assertThat(tail.find(oldest.batch)).as("not settled").isSameAs(oldest);
    tail.prune(65);
    assertThat(tail.find(oldest.batch)).isNull();
    assertThat(tail.find(oldest.record.at())).isNull();
    assertThat(tail.isEmpty()).as("64 are kept").isFalse();
  }
}
