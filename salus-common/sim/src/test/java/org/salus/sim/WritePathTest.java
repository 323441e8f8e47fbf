package org.salus.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.salus.core.VolumeSpec;
import org.salus.sim.IdleVolume.Outcome;

/**
 * The latency of a request to an idle volume, counted in consecutive messages (L each) and disk
 * accesses (D each).
 */
class WritePathTest {
  private static final int BLOCK = 4096;

  private static byte[] blocks(int count) {
    byte[] content = new byte[count * BLOCK];
    Arrays.fill(content, (byte) 7);
    return content;
  }

  @ParameterizedTest
  @CsvSource({"0,1", "1,0", "100000,1000000", "1000000,100000", "20000,20000", "7,3"})
  void aWriteToOneRegionTakesFiveMessagesAndOneAppend(long l, long d) {
    Outcome o = new IdleVolume(l, d, 1, false).write(0, blocks(1), false);
    assertThat(o.nanos()).isEqualTo(5 * l + d);
    assertThat(o.messages())
        .isEqualTo(Map.of("PutRequest", 1, "Chain", 2, "Certified", 2, "Commit", 3));
    assertThat(o.appends()).isEqualTo(3);
    assertThat(o.synced()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"0,1", "1,0", "100000,1000000", "1000000,100000", "20000,20000", "7,3"})
  void aBatchOverTwoRegionsTakesOneMessageMoreAndNoAppend(long l, long d) {
    IdleVolume v = new IdleVolume(l, d, 2, false);
    Outcome o = v.write(v.stripeBlocks() - 1, blocks(2), false);
    assertThat(o.nanos()).isEqualTo(6 * l + d);
    assertThat(o.messages())
        .isEqualTo(Map.of("PutRequest", 2, "Chain", 4, "Certified", 4, "Vote", 3, "Commit", 6));
    assertThat(o.appends()).isEqualTo(6);
  }

  @ParameterizedTest
  @CsvSource({"1000,10", "10,1000"})
  void aSyncedWriteTakesNoMoreMessagesAndItsAppendsAreSynced(long l, long d) {
    for (Outcome o :
        new Outcome[] {
          new IdleVolume(l, d, 1, true).write(0, blocks(1), false),
          new IdleVolume(l, d, 1, false).write(0, blocks(1), true)
        }) {
      assertThat(o.nanos()).isEqualTo(5 * l + d);
      assertThat(o.sent()).isEqualTo(8);
      assertThat(o.synced()).isEqualTo(3).isEqualTo(o.appends());
    }
  }

  @ParameterizedTest
  @CsvSource({"1000,10", "10,1000"})
  void aFlushTakesWhatASyncedWriteOfTheRegionsThatWereWrittenTakes(long l, long d) {
    IdleVolume v = new IdleVolume(l, d, 2, false);
    v.write(0, blocks(1), false);
    Outcome one = v.flush();
    assertThat(one.nanos()).isEqualTo(5 * l + d);
    assertThat(one.synced()).isEqualTo(3);
    assertThat(v.flush().nanos()).as("nothing is left to do").isZero();
    v.write(v.stripeBlocks() - 1, blocks(2), false);
    assertThat(v.flush().nanos()).isEqualTo(6 * l + d);
  }

  /**
   * The index of an unflushed segment is in memory. Zeroing takes hardly any log, so it must not
   * let that index grow for ever.
   */
  @Test
  void zeroingFillsSegments() {
    IdleVolume v = new IdleVolume(1000, 10, 1, false, VolumeSpec.MIN_SEGMENT);
    for (int block = 0; block < 4096; block += 16) {
      v.write(block, blocks(16), false);
    }
    int before = v.segments();
    for (int block = 0; block < 4096; block += 16) {
      v.zero(block, 16);
    }
    assertThat(v.segments() - before).as("segments for a thousand blocks each").isBetween(3, 6);
  }

  @ParameterizedTest
  @CsvSource({"0,1", "1,0", "1000,10", "10,1000"})
  void aReadTakesOneRoundTripAndOneAccess(long l, long d) {
    IdleVolume v = new IdleVolume(l, d, 1, false);
    v.write(3, blocks(1), false);
    byte[] into = new byte[BLOCK];
    Outcome o = v.read(3, into);
    assertThat(o.nanos()).isEqualTo(2 * l + d);
    assertThat(o.messages()).isEqualTo(Map.of("GetRequest", 1, "GetReply", 1));
    assertThat(o.appends()).isZero();
    assertThat(into).isEqualTo(blocks(1));
  }
}
