package org.salus.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;

class LogReaderTest {
  private static final RegionId REGION = new RegionId(7, 2);
  private static final List<String> MEMBERS = List.of("a:1", "b:1", "c:1");

  private final Signer signer = new Signer(new byte[0]);
  private final List<Integer> ends = new ArrayList<>();

  private byte[] segment() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ManifestBody manifest = new ManifestBody(MEMBERS, List.of(), 0, false, 0, 0, 0, 0, 0, 0, new byte[32], List.of(), List.of(), 1, null);
    append(out, LogRecord.Type.MANIFEST, manifest.encode(), new byte[0]);
    for (int i = 1; i <= 3; i++) {
      Put put = new Put(i, 10 + i, 1, new byte[32]);
      SubBatch b = new SubBatch(1, 0, i, i, i - 1, 0, 0, 2, -1, false, List.of(2), new byte[32], List.of(put));
      byte[] payload = new byte[4096];
      payload[0] = (byte) i;
      append(out, LogRecord.Type.PUT, b.encode(), payload);
    }
    return out.toByteArray();
  }

  private void append(ByteArrayOutputStream out, LogRecord.Type type, byte[] content, byte[] payload) {
    int crc = payload.length == 0 ? 0 : LogRecord.crc(ByteBuffer.wrap(payload));
    LogRecord r = new LogRecord(type, REGION, 1, new Position(5, out.size()), payload.length, crc, content, new byte[0]);
    List<byte[]> certificate = MEMBERS.stream().map(m -> signer.sign(m, r.headerBuffer())).toList();
    out.writeBytes(r.header());
    out.writeBytes(payload);
    out.writeBytes(r.trailer(certificate));
    assertThat(out.size()).isEqualTo((int) (r.at().offset() + r.length(3)));
    assertThat(r.length(3)).isEqualTo(LogRecord.length(content, new byte[0], payload.length, 3)).matches(n -> n % LogRecord.CHUNK == 0, "is in whole chunks");
    ends.add(out.size());
  }

  private long validLength(byte[] bytes) {
    return read(bytes).end();
  }

  private LogReader read(byte[] bytes) {
    return read(bytes, null);
  }

  private LogReader read(byte[] bytes, LogReader.Mark from) {
    LogReader reader = new LogReader((position, dst) -> {
      if (position + dst.remaining() > bytes.length) {
        return false;
      }
      dst.put(bytes, (int) position, dst.remaining());
      return true;
    }, REGION, 5, signer);
    if (from != null) {
      reader.resume(from);
    }
    while (reader.next() != null) {
      continue;
    }
    return reader;
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
    assertThat(read(damaged, mark).end()).isEqualTo(whole.length);
    damaged[ends.get(2) + 3] ^= 1;
    assertThat(read(damaged, mark).end()).isEqualTo((int) ends.get(2));
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
    assertThat(LogRecord.format(ByteBuffer.wrap("SAL2....".getBytes(StandardCharsets.US_ASCII)))).isEqualTo(2);
    assertThat(LogRecord.format(ByteBuffer.wrap("SALT....".getBytes(StandardCharsets.US_ASCII)))).isEqualTo(-1);
    assertThat(LogRecord.format(ByteBuffer.allocate(LogRecord.PREFIX))).isEqualTo(-1);
  }

  @Test
  void aRecordCertifiedByOthersDoesNotCount() {
    LogRecord r = new LogRecord(LogRecord.Type.ROLL, REGION, 1, new Position(5, 0), 0, 0, new RollBody(6).encode(), new byte[0]);
    List<byte[]> good = MEMBERS.stream().map(m -> signer.sign(m, r.headerBuffer())).toList();
    assertThat(r.certifiedBy(MEMBERS, good, signer)).isTrue();
    assertThat(r.certifiedBy(List.of("a:1", "b:1", "x:1"), good, signer)).isFalse();
    assertThat(r.certifiedBy(MEMBERS, good.subList(0, 2), signer)).isFalse();
  }
}
