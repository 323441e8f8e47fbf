package org.salus.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.salus.core.RegionId;
import org.salus.core.log.LogRecord.Type;
import org.salus.core.wire.MalformedException;

class LogRecordTest {

  @ParameterizedTest
  @CsvSource({"0,0", "1,0", "0,16", "300,16"})
  void aRecordIsReadAsItWasWritten(int contentLength, int originLength) throws MalformedException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] content = bytes(random, contentLength);
    byte[] origin = bytes(random, originLength);
    Position at = new Position(random.nextLong(), random.nextLong());
    LogRecord written =
        new LogRecord(
            new LogRequest(
                Type.PUT, new RegionId(random.nextLong(), 3), 7, content, random.nextInt()),
            at,
            8192,
            origin);
    for (LogRecord r : new LogRecord[] {written, LogRecord.decode(written.header())}) {
      assertThat(r.content()).as("seed " + seed).isEqualTo(content);
      assertThat(r.origin()).as("seed " + seed).isEqualTo(origin);
      assertThat(r.header()).as("seed " + seed).isEqualTo(written.header());
      assertThat(r).as("seed " + seed).usingRecursiveComparison().isEqualTo(written);
    }
  }

  private static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
