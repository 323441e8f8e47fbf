package org.salus.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.Position;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.Vote;

/**
 * A signature says everything that it is about. Whoever changes one field of what was signed, the
 * signer or the region that it was meant for, has no signature for it.
 */
class SignedContextTest {
  private static final RegionId REGION = new RegionId(7, 2);
  private static final long MOUNT = 3;
  private static final int LANE = 1;
  private static final List<String> MEMBERS = List.of("a", "b", "c");
  private static final byte[] NONE = {};

  private static final Signer SIGNER = new Signer(new byte[] {1});

  private interface Check {
    boolean isSigned(Record by, byte[] signature);
  }

  /** What is signed, its signature, how it is checked, and the fields that are not signed. */
  static Stream<Arguments> signed() {
    LogRequest put = new LogRequest(LogRecord.Type.PUT, REGION, 8, new byte[] {1, 2, 3}, 99);
    Vote vote =
        new Vote(REGION.index(), 8, LANE, 1, MOUNT, 4, 5, 6, new byte[32], Refusal.DAMAGED, NONE);
    Commit commit = new Commit(REGION.index(), 8, LANE, 1, MOUNT, 4, 6, NONE, List.of());
    Refused refused = new Refused(8, LANE, MOUNT, 6, Refusal.LOST, 5, new byte[] {9}, NONE);
    return Stream.of(
        Arguments.of(
            put,
            put.sign(MOUNT, SIGNER),
            (Check) (r, s) -> ((LogRequest) r).isSigned(MOUNT, s, SIGNER),
            List.of()),
        Arguments.of(
            vote,
            laneSignature(vote),
            (Check) (r, s) -> isOfLane(REGION, ((Vote) r).lane(), (Vote) r, s),
            List.of("signature")),
        Arguments.of(
            commit,
            laneSignature(commit),
            (Check) (r, s) -> isOfLane(REGION, ((Commit) r).lane(), (Commit) r, s),
            List.of("signature", "votes")),
        Arguments.of(
            refused,
            laneSignature(refused),
            (Check) (r, s) -> isOfLane(REGION, ((Refused) r).lane(), (Refused) r, s),
            List.of("signature")));
  }

  private static byte[] laneSignature(Message m) {
    return SIGNER.sign(Signer.laneName(REGION, LANE), MessageCodec.signed(m));
  }

  private static boolean isOfLane(RegionId region, int lane, Message m, byte[] signature) {
    return SIGNER.verifies(Signer.laneName(region, lane), signature, MessageCodec.signed(m));
  }

  @ParameterizedTest
  @MethodSource("signed")
  void noFieldCanBeChanged(Record r, byte[] signature, Check check, List<String> unsigned)
      throws ReflectiveOperationException {
    assertThat(check.isSigned(r, signature)).isTrue();
    Map<String, Record> changes = changes(r);
    assertThat(changes).hasSize(r.getClass().getRecordComponents().length);
    changes.keySet().removeAll(unsigned);
    changes.forEach(
        (field, other) -> assertThat(check.isSigned(other, signature)).as(field).isFalse());
  }

  @Test
  void whatWasMeantForOneRegionMountOrVolumeIsSignedForNoOther() {
    LogRequest put = new LogRequest(LogRecord.Type.PUT, REGION, 8, new byte[] {1, 2, 3}, 99);
    byte[] signature = put.sign(MOUNT, SIGNER);
    for (RegionId other : List.of(new RegionId(7, 3), new RegionId(8, 2))) {
      assertThat(
              new LogRequest(put.type(), other, put.epoch(), put.content(), put.payloadCrc())
                  .isSigned(MOUNT, signature, SIGNER))
          .as(other.toString())
          .isFalse();
    }
    assertThat(put.isSigned(MOUNT + 1, signature, SIGNER)).isFalse();
    assertThat(put.isSigned(MOUNT, signature, new Signer(new byte[] {2})))
        .as("in another cluster")
        .isFalse();
  }

  @Test
  void aMemberSignsAllThatARecordsHeaderSays() {
    LogRecord r = record(LogRecord.Type.PUT, REGION, 4, new Position(1, 512), 9, new byte[] {1});
    List<byte[]> certificate = MEMBERS.stream().map(m -> SIGNER.sign(m, r.headerBuffer())).toList();
    assertThat(r.certifiedBy(MEMBERS, certificate, SIGNER)).isTrue();
    for (LogRecord other :
        List.of(
            record(LogRecord.Type.ROLL, REGION, 4, r.at(), 9, new byte[] {1}),
            record(LogRecord.Type.PUT, new RegionId(7, 3), 4, r.at(), 9, new byte[] {1}),
            record(LogRecord.Type.PUT, new RegionId(8, 2), 4, r.at(), 9, new byte[] {1}),
            record(LogRecord.Type.PUT, REGION, 5, r.at(), 9, new byte[] {1}),
            record(LogRecord.Type.PUT, REGION, 4, new Position(2, 512), 9, new byte[] {1}),
            record(LogRecord.Type.PUT, REGION, 4, new Position(1, 1024), 9, new byte[] {1}),
            record(LogRecord.Type.PUT, REGION, 4, r.at(), 8, new byte[] {1}),
            record(LogRecord.Type.PUT, REGION, 4, r.at(), 9, new byte[] {2}))) {
      assertThat(other.certifiedBy(MEMBERS, certificate, SIGNER)).as(other.toString()).isFalse();
    }
  }

  private static LogRecord record(
      LogRecord.Type type, RegionId region, int epoch, Position at, int crc, byte[] content) {
    return new LogRecord(type, region, epoch, at, 100, crc, content, NONE);
  }

  /** For each field, the same record with another value of that field. */
  private static Map<String, Record> changes(Record r) throws ReflectiveOperationException {
    RecordComponent[] fields = r.getClass().getRecordComponents();
    Class<?>[] types = Arrays.stream(fields).map(RecordComponent::getType).toArray(Class<?>[]::new);
    Map<String, Record> changes = new TreeMap<>();
    for (int i = 0; i < fields.length; i++) {
      Object[] values = new Object[fields.length];
      for (int j = 0; j < fields.length; j++) {
        Object value = fields[j].getAccessor().invoke(r);
        values[j] = j == i ? other(value) : value;
      }
      changes.put(
          fields[i].getName(),
          (Record) r.getClass().getDeclaredConstructor(types).newInstance(values));
    }
    return changes;
  }

  private static Object other(Object value) {
    if (value instanceof Integer i) {
      return i + 1;
    }
    if (value instanceof Long l) {
      return l + 1;
    }
    if (value instanceof byte[] b) {
      byte[] longer = Arrays.copyOf(b, b.length + 1);
      longer[b.length] = 1;
      return longer;
    }
    if (value instanceof RegionId id) {
      return new RegionId(id.volume(), id.index() + 1);
    }
    if (value instanceof Enum<?> e) {
      Object[] all = e.getDeclaringClass().getEnumConstants();
      return all[(e.ordinal() + 1) % all.length];
    }
    if (value instanceof List<?>) {
      return List.of(new Message.Yes(0, NONE));
    }
    throw new IllegalArgumentException("a test must know how to change " + value);
  }
}
