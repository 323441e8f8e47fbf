package org.salus.core.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.salus.core.Endpoint;
import org.salus.core.RecordChanges;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.MountBody;
import org.salus.core.log.Position;
import org.salus.core.log.Relied;
import org.salus.core.message.Message.Acknowledged;
import org.salus.core.message.Message.Certified;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.HoldingsQuery;
import org.salus.core.message.Message.InventoryQuery;
import org.salus.core.message.Message.MountRequest;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.ResolveRequest;
import org.salus.core.message.Message.StatusQuery;
import org.salus.core.message.Message.Vote;
import org.salus.core.wire.MalformedException;

/**
 * A signature says everything that it is about. Whoever changes one field of what was signed, the
 * signer or the addressee, has no signature for it. The test walks all messages by reflection, so
 * none can be forgotten.
 */
class SignedContextTest {
  private static final RegionId REGION = new RegionId(7, 2);
  private static final RegionId OTHER_REGION = new RegionId(7, 3);
  private static final RegionId OTHER_VOLUME = new RegionId(8, 2);
  private static final int EPOCH = 8;
  private static final long MOUNT = 3;
  private static final int LANE = 1;
  private static final List<String> MEMBERS = List.of("a", "b", "c");
  private static final byte[] NONE = {};

  private static final Signer SIGNER = new Signer(new byte[] {1});

  /** Whether a receiver in this region takes the message for genuine. */
  private interface Check {
    boolean isSigned(Message m, RegionId at);
  }

  /** A genuine message, how it is checked, and the fields that are not signed. */
  private record Case(Message message, Check check, Set<String> unsigned) {}

  /** All records of the sealed hierarchy. */
  static List<Class<?>> kinds(Class<?> of) {
    return of.isRecord()
        ? List.of(of)
        : Stream.of(of.getPermittedSubclasses()).flatMap(c -> kinds(c).stream()).toList();
  }

  private static LogRequest request(LogRecord.Type type, RegionId at, int epoch, byte[] content) {
    return new LogRequest(type, at, epoch, content, type == LogRecord.Type.PUT ? 99 : 0);
  }

  private static byte[] session(LogRecord.Type type, byte[] content) {
    return request(type, REGION, EPOCH, content).sign(MOUNT, SIGNER);
  }

  private static LogRecord record() {
    return record(LogRecord.Type.ROLL, REGION, EPOCH, new Position(1, 512), 9, new byte[] {1});
  }

  private static List<byte[]> certificate(LogRecord r) {
    return MEMBERS.stream().map(m -> SIGNER.sign(m, r.headerBuffer())).toList();
  }

  private static boolean isCertified(byte[] header, List<byte[]> signatures, RegionId at) {
    try {
      LogRecord r = LogRecord.decode(header);
      return r.region().equals(at)
          && r.epoch() == EPOCH
          && r.certifiedBy(MEMBERS, signatures, SIGNER);
    } catch (MalformedException e) {
      return false;
    }
  }

  /** The messages that have signatures of their own. */
  private static List<Case> signed() {
    byte[] content = {1, 2, 3};
    LogRecord r = record();
    return List.of(
        new Case(
            new PutRequest(EPOCH, content, 99, session(LogRecord.Type.PUT, content)),
            (m, at) -> {
              PutRequest p = (PutRequest) m;
              return new LogRequest(LogRecord.Type.PUT, at, p.epoch(), p.content(), p.payloadCrc())
                  .isSigned(MOUNT, p.signature(), SIGNER);
            },
            Set.of()),
        new Case(
            new MountRequest(EPOCH, content, session(LogRecord.Type.MOUNT, content)),
            (m, at) -> {
              MountRequest q = (MountRequest) m;
              return request(LogRecord.Type.MOUNT, at, q.epoch(), q.content())
                  .isSigned(MOUNT, q.signature(), SIGNER);
            },
            Set.of()),
        new Case(
            new ResolveRequest(EPOCH, content, session(LogRecord.Type.RESOLVE, content)),
            (m, at) -> {
              ResolveRequest q = (ResolveRequest) m;
              return request(LogRecord.Type.RESOLVE, at, q.epoch(), q.content())
                  .isSigned(MOUNT, q.signature(), SIGNER);
            },
            Set.of()),
        new Case(
            new Refused(EPOCH, LANE, MOUNT, 6, Refusal.LOST, 5, new byte[] {9}, NONE)
                .sign(REGION, SIGNER),
            (m, at) -> ((Refused) m).isSigned(at, SIGNER),
            Set.of()),
        new Case(
            Acknowledged.sign(REGION, EPOCH, new Relied(MOUNT, MOUNT, MOUNT, 5), SIGNER),
            (m, at) -> ((Acknowledged) m).isSigned(at, SIGNER),
            Set.of()),
        new Case(
            new Chain(r.header(), certificate(r)),
            (m, at) -> isCertified(((Chain) m).header(), ((Chain) m).signatures(), at),
            Set.of()),
        new Case(
            new Certified(EPOCH, 1, 512, certificate(r)),
            (m, at) -> {
              Certified c = (Certified) m;
              LogRecord of =
                  record(
                      r.type(),
                      at,
                      c.epoch(),
                      new Position(c.segment(), c.offset()),
                      9,
                      r.content());
              return isCertified(of.header(), c.signatures(), at);
            },
            Set.of()),
        new Case(
            new Vote(
                    REGION.index(),
                    EPOCH,
                    LANE,
                    1,
                    MOUNT,
                    4,
                    5,
                    6,
                    new byte[32],
                    Refusal.DAMAGED,
                    NONE)
                .sign(REGION.volume(), SIGNER),
            (m, at) -> ((Vote) m).isSigned(at.volume(), SIGNER),
            Set.of()),
        new Case(
            new Commit(
                    REGION.index(),
                    EPOCH,
                    LANE,
                    1,
                    MOUNT,
                    4,
                    6,
                    NONE,
                    List.of(new Message.Yes(1, new byte[] {9})))
                .sign(REGION.volume(), SIGNER),
            (m, at) -> ((Commit) m).isSigned(at.volume(), SIGNER),
            Set.of("votes"))); // each is signed itself
  }

  static Stream<Arguments> cases() {
    return signed().stream().map(Arguments::of);
  }

  @Test
  void everyMessageIsSealedOrHasSignaturesThatAreTestedHereOrIsAQuestionForAnybody() {
    List<Class<?>> open = List.of(StatusQuery.class, InventoryQuery.class, HoldingsQuery.class);
    List<Class<?>> all = new ArrayList<>(open);
    signed().forEach(c -> all.add(c.message().getClass()));
    sealed().forEach(m -> all.add(m.getClass()));
    assertThat(all.stream().distinct()).containsExactlyInAnyOrderElementsOf(kinds(Message.class));
    assertThat(kinds(Message.Question.class)).containsExactlyInAnyOrderElementsOf(open);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void noFieldOfASignedMessageCanBeChanged(Case c) {
    assertThat(c.check().isSigned(c.message(), REGION)).isTrue();
    Record message = (Record) c.message();
    Map<String, Record> changes = RecordChanges.of(message);
    assertThat(changes.keySet().stream().map(RecordChanges::field).distinct())
        .containsExactlyElementsOf(RecordChanges.fields(message));
    changes.keySet().removeIf(path -> c.unsigned().contains(RecordChanges.field(path)));
    changes.forEach(
        (path, other) ->
            assertThat(c.check().isSigned((Message) other, REGION)).as(path).isFalse());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void noSignedMessageIsGoodInAnotherRegionOrVolume(Case c) {
    assertThat(c.check().isSigned(c.message(), OTHER_VOLUME)).isFalse();
    boolean namesItsRegion = c.message() instanceof Vote || c.message() instanceof Commit;
    assertThat(c.check().isSigned(c.message(), OTHER_REGION))
        .as("a vote and a commit say for whom they are in a field")
        .isEqualTo(namesItsRegion);
  }

  /** One of each message that its envelope seals. */
  static List<Message> sealed() {
    return MessageCodecTest.ONE_OF_EACH.stream()
        .filter(m -> m.proof() == Message.Proof.SEAL)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("sealed")
  void noFieldOfASealedMessageCanBeChangedNorItsSenderNorItsReceiver(Message m) throws Exception {
    Endpoint member = new Endpoint.Member(REGION, LANE);
    Endpoint session = new Endpoint.Session(REGION.volume(), MOUNT);
    for (boolean toSession : new boolean[] {false, true}) {
      Endpoint from = toSession ? member : session;
      Endpoint to = toSession ? session : member;
      Envelope e = new Envelope(from, to, m);
      byte[] seal = Envelope.decode(ByteBuffer.wrap(e.encode(SIGNER))).seal();
      assertThat(opened(e, seal)).isTrue();
      for (Map.Entry<String, Record> change : RecordChanges.of((Record) m).entrySet()) {
        Envelope other = new Envelope(from, to, (Message) change.getValue());
        assertThat(opened(other, seal)).as(change.getKey()).isFalse();
      }
      for (Endpoint other : others()) {
        assertThat(opened(new Envelope(other, to, m), seal)).as("from %s", other).isFalse();
        assertThat(opened(new Envelope(from, other, m), seal)).as("to %s", other).isFalse();
      }
      assertThatThrownBy(
              () ->
                  Envelope.decode(ByteBuffer.wrap(e.encode(SIGNER)))
                      .open(new Signer(new byte[] {2})))
          .as("in another cluster")
          .isInstanceOf(ForgedException.class)
          .hasMessageContaining(m.getClass().getSimpleName());
    }
  }

  private static List<Endpoint> others() {
    return List.of(
        new Endpoint.Member(REGION, LANE + 1),
        new Endpoint.Member(OTHER_REGION, LANE),
        new Endpoint.Member(OTHER_VOLUME, LANE),
        new Endpoint.Session(REGION.volume(), MOUNT + 1),
        new Endpoint.Session(OTHER_VOLUME.volume(), MOUNT));
  }

  /** Whether an envelope with another one's seal is opened. */
  private static boolean opened(Envelope e, byte[] seal) throws MalformedException {
    Envelope.Received own = Envelope.decode(ByteBuffer.wrap(e.encode(SIGNER)));
    try {
      new Envelope.Received(e, seal, own.sealed()).open(SIGNER);
      return true;
    } catch (ForgedException forged) {
      return false;
    }
  }

  @Test
  void aMessageThatNeedsASealIsNotTakenWithoutOne() throws MalformedException {
    Envelope e =
        new Envelope(
            new Endpoint.Member(REGION, LANE),
            new Endpoint.Session(REGION.volume(), MOUNT),
            sealed().get(0));
    assertThat(opened(e, NONE)).isFalse();
  }

  @Test
  void whatWasMeantForOneRegionEpochMountOrVolumeIsSignedForNoOther() {
    LogRequest put = new LogRequest(LogRecord.Type.PUT, REGION, EPOCH, new byte[] {1, 2, 3}, 99);
    byte[] signature = put.sign(MOUNT, SIGNER);
    assertThat(put.isSigned(MOUNT, signature, SIGNER)).isTrue();
    for (LogRequest other :
        List.of(
            new LogRequest(LogRecord.Type.MOUNT, REGION, EPOCH, put.content(), 99),
            new LogRequest(put.type(), OTHER_REGION, EPOCH, put.content(), 99),
            new LogRequest(put.type(), OTHER_VOLUME, EPOCH, put.content(), 99),
            new LogRequest(put.type(), REGION, EPOCH + 1, put.content(), 99),
            new LogRequest(put.type(), REGION, EPOCH, new byte[] {1, 2, 4}, 99),
            new LogRequest(put.type(), REGION, EPOCH, put.content(), 98))) {
      assertThat(other.isSigned(MOUNT, signature, SIGNER)).as(other.toString()).isFalse();
    }
    assertThat(put.isSigned(MOUNT + 1, signature, SIGNER)).isFalse();
    assertThat(put.isSigned(MOUNT, signature, new Signer(new byte[] {2})))
        .as("in another cluster")
        .isFalse();
  }

  @Test
  void theProofOfAMountIsGoodForThatMountAndRegionOnly() {
    MountBody mount = new MountBody(MOUNT);
    byte[] signature = mount.request(REGION, EPOCH).sign(MOUNT, SIGNER);
    byte[] proof = MountBody.proof(EPOCH, signature);
    assertThat(mount.isProven(REGION, proof, SIGNER)).isTrue();
    assertThat(new MountBody(MOUNT + 1).isProven(REGION, proof, SIGNER)).isFalse();
    assertThat(mount.isProven(OTHER_REGION, proof, SIGNER)).isFalse();
    assertThat(mount.isProven(OTHER_VOLUME, proof, SIGNER)).isFalse();
    assertThat(mount.isProven(REGION, MountBody.proof(EPOCH + 1, signature), SIGNER)).isFalse();
    assertThat(mount.isProven(REGION, NONE, SIGNER)).isFalse();
  }

  @Test
  void aMemberSignsAllThatARecordsHeaderSays() {
    LogRecord r = record(LogRecord.Type.PUT, REGION, 4, new Position(1, 512), 9, new byte[] {1});
    List<byte[]> certificate = certificate(r);
    assertThat(r.certifiedBy(MEMBERS, certificate, SIGNER)).isTrue();
    for (LogRecord other :
        List.of(
            record(LogRecord.Type.ROLL, REGION, 4, r.at(), 9, new byte[] {1}),
            record(LogRecord.Type.PUT, OTHER_REGION, 4, r.at(), 9, new byte[] {1}),
            record(LogRecord.Type.PUT, OTHER_VOLUME, 4, r.at(), 9, new byte[] {1}),
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
    return new LogRecord(new LogRequest(type, region, epoch, content, crc), at, 100, NONE);
  }
}
