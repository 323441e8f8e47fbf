package org.salus.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.tree.Hashes;

class LogReaderTest {
  private static final RegionId REGION = new RegionId(7, 2);
  private static final List<String> MEMBERS = List.of("a:1", "b:1", "c:1");

  private final Signer signer = new Signer(new byte[0]);
  private final TestEpoch epoch = new TestEpoch(REGION, 1, MEMBERS, signer);
  private final List<Integer> ends = new ArrayList<>();

  /** The bytes that are in payloads. */
  private final BitSet payloads = new BitSet();

  private byte[] segment() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    append(out, epoch.manifest(5), new byte[0]);
    for (int i = 1; i <= 3; i++) {
      Put put = new Put(i, 10 + i, 1, new byte[32]);
      SubBatch b =
          new SubBatch(
              1,
              0,
              i,
              i,
              i - 1,
              0,
              Durable.NOTHING,
              new SubBatch.Participants(2, List.of(2), List.of(1)),
              SubBatch.PrevLeader.NONE,
              false,
              new byte[32],
              List.of(put));
      byte[] payload = new byte[4096];
      payload[0] = (byte) i;
      appendPut(out, b, payload);
    }
    return out.toByteArray();
  }

  private void appendPut(ByteArrayOutputStream out, SubBatch b, byte[] payload) {
    Position at = new Position(5, out.size());
    append(out, epoch.record(LogRecord.Type.PUT, at, b.encode(), payload), payload);
  }

  private void append(ByteArrayOutputStream out, LogRecord r, byte[] payload) {
    int start = out.size() + r.header().length;
    out.writeBytes(epoch.onDisk(r, payload));
    payloads.set(start, start + payload.length);
    assertThat(out.size()).isEqualTo((int) (r.at().offset() + r.length(3)));
    assertThat(r.length(3))
        .isEqualTo(LogRecord.length(r.content(), new byte[0], payload.length, 3))
        .matches(n -> n % LogRecord.CHUNK == 0, "is in whole chunks");
    ends.add(out.size());
  }

  private long validLength(byte[] bytes) {
    return read(bytes).end();
  }

  private LogReader read(byte[] bytes) {
    return readOn(reader(bytes));
  }

  private LogReader reader(byte[] bytes) {
    return epoch.reader(5, bytes);
  }

  private static LogReader readOn(LogReader reader) {
    while (reader.next() != null) {
      continue;
    }
    return reader;
  }

  @Test
  void aBlockThatIsNotItsLeafHashIsFoundUnderTheRightChecksum() {
    byte[] right = new byte[4096];
    Arrays.fill(right, (byte) 1);
    byte[] other = new byte[4096];
    for (byte[] stored : List.of(right, other)) {
      ends.clear();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      append(out, epoch.manifest(5), new byte[0]);
      List<Put> puts =
          List.of(
              new Put(1, 11, 1, hash(right)),
              new Put(2, 12, 3, null),
              new Put(3, 20, 1, hash(right)));
      SubBatch b =
          new SubBatch(
              1,
              0,
              1,
              3,
              0,
              0,
              Durable.NOTHING,
              new SubBatch.Participants(2, List.of(2), List.of(1)),
              SubBatch.PrevLeader.NONE,
              false,
              new byte[32],
              puts);
      appendPut(out, b, ByteBuffer.allocate(8192).put(right).put(stored).array());
      byte[] bytes = out.toByteArray();
      assertThat(validLength(bytes)).as("by checksums").isEqualTo(bytes.length);
      assertThat(readOn(reader(bytes).withLeafHashes()).end())
          .as("by hashes")
          .isEqualTo(stored == right ? bytes.length : ends.get(0));
    }
  }

  private static byte[] hash(byte[] block) {
    return new Hashes().leaf(ByteBuffer.wrap(block));
  }

  private long expected(int damagedAt) {
    return ends.stream().filter(e -> e <= damagedAt).reduce(0, Math::max);
  }

  @Test
  void aReaderGoesOnWhereAnotherHasComeAndDoesNotLookBack() {
    byte[] whole = segment();
    LogReader.Mark mark = read(Arrays.copyOf(whole, ends.get(2) - 1)).mark();
    assertThat(mark).isEqualTo(new LogReader.Mark(ends.get(1), MEMBERS, 1));
    byte[] damaged = whole.clone();
    Arrays.fill(damaged, 0, ends.get(1), (byte) 0);
    assertThat(readOn(reader(damaged).resume(mark)).end()).isEqualTo(whole.length);
    damaged[ends.get(2) + 3] ^= 1;
    assertThat(readOn(reader(damaged).resume(mark)).end()).isEqualTo((int) ends.get(2));
  }

  @Test
  void everyFlippedByteEndsTheValidPartAtItsRecord() {
    byte[] whole = segment();
    assertThat(validLength(whole)).isEqualTo(whole.length);
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 0x40;
      assertThat(validLength(damaged)).as("byte " + i).isEqualTo(expected(i));
    }
  }

  @Test
  void withoutPayloadsEveryOtherFlippedByteDoes() {
    byte[] whole = segment();
    assertThat(payloads.cardinality()).isEqualTo(3 * 4096);
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 0x40;
      assertThat(readOn(reader(damaged).withoutPayloads()).end())
          .as("byte " + i)
          .isEqualTo(payloads.get(i) ? whole.length : expected(i));
    }
  }

  @Test
  void aTornTailIsValidUpToItsLastWholeRecord() {
    byte[] whole = segment();
    for (int n = 0; n < whole.length; n++) {
      assertThat(validLength(Arrays.copyOf(whole, n))).isEqualTo(expected(n));
    }
  }

  @Test
  void aCertificateBehindADamagedPlaceProvesThatTheLogWentOn() {
    byte[] whole = segment();
    for (int i = 0; i < whole.length; i++) {
      byte[] damaged = whole.clone();
      damaged[i] ^= 0x40;
      boolean lastRecord = i >= ends.get(2);
      long proven = read(damaged).provenEnd(damaged.length);
      if (lastRecord) {
        assertThat(proven).as("byte " + i).isIn((long) ends.get(2), (long) whole.length);
      } else {
        assertThat(proven).as("byte " + i).isGreaterThan(expected(i));
      }
    }
  }

  @Test
  void aTornTailAndALostPageAreNoDamage() {
    byte[] whole = segment();
    for (int n = 0; n <= whole.length; n += 7) {
      byte[] torn = Arrays.copyOf(whole, n);
      assertThat(read(torn).provenEnd(n)).isEqualTo(expected(n));
    }
    byte[] hole = whole.clone();
    Arrays.fill(hole, 4096, 8192, (byte) 0);
    assertThat(read(hole).provenEnd(hole.length)).isEqualTo(expected(4096));
  }

  @Test
  void anotherFormatIsToldFromGarbage() {
    assertThat(LogRecord.format(ByteBuffer.wrap(segment()))).isEqualTo(LogRecord.FORMAT);
    for (int other : new int[] {LogRecord.FORMAT - 1, LogRecord.FORMAT + 1}) {
      byte[] records = segment();
      records[3] = (byte) ('0' + other);
      assertThat(LogRecord.format(ByteBuffer.wrap(records))).isEqualTo(other);
      assertThat(LogRecord.headerLength(ByteBuffer.wrap(records)))
          .as("nothing of it is read")
          .isEqualTo(-1);
    }
    assertThat(LogRecord.format(ByteBuffer.wrap("SALT....".getBytes(StandardCharsets.US_ASCII))))
        .isEqualTo(-1);
    assertThat(LogRecord.format(ByteBuffer.allocate(LogRecord.PREFIX))).isEqualTo(-1);
  }

  @Test
  void aRecordCertifiedByOthersDoesNotCount() {
    LogRecord r = epoch.record(LogRecord.Type.ROLL, new Position(5, 0), new RollBody(6).encode());
    List<byte[]> good = epoch.certificate(r);
    assertThat(r.certifiedBy(MEMBERS, good, signer)).isTrue();
    assertThat(r.certifiedBy(List.of("a:1", "b:1", "x:1"), good, signer)).isFalse();
    assertThat(r.certifiedBy(MEMBERS, good.subList(0, 2), signer)).isFalse();
  }
}
