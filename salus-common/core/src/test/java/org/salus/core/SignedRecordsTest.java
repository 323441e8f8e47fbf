package org.salus.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.Position;
import org.salus.core.log.RepairPermit;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.TestEpoch;
import org.salus.core.message.Envelope;
import org.salus.core.message.Message;
import org.salus.core.path.SpecName;
import org.salus.core.path.VolumePath;
import org.salus.core.recovery.FenceClaim;
import org.salus.core.recovery.FenceClaim.Content;
import org.salus.core.recovery.FloorClaim;
import org.salus.core.replacement.Accusation;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.WrittenManifest;

/**
 * A signed record says everything that it is about. Whoever changes one place of it, or shows it to
 * somebody else or for something else, has no signature for it. {@code SignedContextTest} does the
 * same with messages.
 */
class SignedRecordsTest {
  private static final RegionId REGION = new RegionId(7, 2);
  private static final int EPOCH = 5;
  private static final byte[] SECRET = {1};
  private static final Signer SIGNER = new Signer(SECRET);
  private static final List<String> NODES = List.of("a", "b", "c");
  private static final TestEpoch MEMBERS = new TestEpoch(REGION, EPOCH, NODES, SIGNER);
  private static final String REPLICA = "pool/1";
  private static final VolumeSpec SPEC =
      new VolumeSpec("disk", 7, 8192, 1024, 2, true, 1 << 20, false);

  /** The classes of {@code SignedContextTest} that sign. */
  private static final List<Class<?>> OF_MESSAGES =
      List.of(
          LogRequest.class,
          Envelope.class,
          Message.Acknowledged.class,
          Message.Refused.class,
          Message.Vote.class,
          Message.Commit.class);

  /** They sign the header of a {@link LogRecord}, and nothing else. */
  private static final List<String> OF_HEADERS =
      List.of("org.salus.core.member.RecordRelay", "org.salus.core.member.OpeningDriver");

  /**
   * A genuine record.
   *
   * @param signs the class that signs it; null if others do
   * @param record what is signed, and for whom
   * @param isGenuine whether a reader with this secret takes it
   */
  private record Case<T extends Record>(
      Class<?> signs, T record, Function<Signer, Predicate<T>> isGenuine) {
    boolean isTaken(Record other, Signer by) {
      @SuppressWarnings("unchecked")
      T same = (T) other;
      return isGenuine.apply(by).test(same);
    }

    @Override
    public String toString() {
      return record.getClass().getSimpleName();
    }
  }

  /** Everything in the header of a {@link LogRecord}. */
  private record Header(
      LogRecord.Type type,
      RegionId region,
      int epoch,
      Position at,
      int payloadLength,
      int payloadCrc,
      byte[] content,
      byte[] origin) {
    LogRecord record() {
      return new LogRecord(
          new LogRequest(type, region, epoch, content, payloadCrc), at, payloadLength, origin);
    }
  }

  /** A claim on a floor, and the DataNode to which it is said. */
  private record Floor(FloorClaim claim, String dataNode) {}

  /** A claim to fence a replica, and the holder to whose DataNode it is said. */
  private record Fence(FenceClaim claim, int holder) {
    String dataNode() {
      return claim.link().holders().get(holder - 1).dataNode();
    }
  }

  /** A member's word that it has a manifest. */
  private record Written(Header manifest, String node) {}

  /** A permit, and the segment for which it is shown. */
  private record Repair(RepairPermit permit, int segment) {
    static String path(int segment) {
      return "/salus/disk-0000000000000007/0002/log-0000000" + segment;
    }

    boolean allows(Signer by) {
      String dataNode = permit.dataNode();
      RepairPermit.Call call = new RepairPermit.Call(permit.block(), List.of(dataNode), 0);
      return permit.allows(call, path(segment), dataNode, EPOCH, NODES, by);
    }
  }

  private static List<Member> members(String... nodes) {
    return Stream.of(nodes).map(n -> new Member(n, 1, n + ":9866")).toList();
  }

  /** It names the segments 4 and 8. */
  private static byte[] manifest() {
    return MEMBERS.permission(
        MEMBERS.manifest(9, new SegmentEnd(4, 1000), new SegmentEnd(8, 1000)));
  }

  private static String signatureOf(String specName) {
    return specName.substring(specName.lastIndexOf('-'));
  }

  private static List<Case<?>> signed() {
    List<Case<?>> all = new ArrayList<>();
    EpochLink served = EpochLink.first(REGION, 4, members("a", "b"), members("b", "c"), SIGNER);
    EpochLink rebuilds = served.next(6, members("d", "e", "f"), SIGNER);
    all.add(new Case<>(EpochLink.class, rebuilds, by -> link -> link.isGenuine(by)));

    Header header =
        new Header(
            LogRecord.Type.PUT, REGION, 4, new Position(1, 512), 9, 8, new byte[] {1}, new byte[4]);
    List<byte[]> certificate = MEMBERS.certificate(header.record());
    all.add(new Case<>(null, header, by -> h -> h.record().certifiedBy(NODES, certificate, by)));

    Floor floor = new Floor(FloorClaim.sign("id", REPLICA, EPOCH, 10, 11, SIGNER), "id");
    all.add(new Case<>(FloorClaim.class, floor, by -> f -> f.claim().isSigned(f.dataNode(), by)));

    Fence fence = new Fence(FenceClaim.sign("a:9866", REPLICA, rebuilds, "d", SIGNER), 1);
    all.add(
        new Case<>(
            FenceClaim.class,
            fence,
            by ->
                f ->
                    f.claim().holds(f.dataNode(), f.claim().replica(), Content.NOTHING, null, by)));

    byte[] word = WrittenManifest.word(header.record(), "a", SIGNER);
    all.add(
        new Case<>(
            WrittenManifest.class,
            new Written(header, "a"),
            by -> b -> WrittenManifest.isWord(b.manifest().record(), b.node(), word, by)));

    Repair repair =
        new Repair(RepairPermit.sign(Repair.path(4), manifest(), "a", "a:9866", 99, SIGNER), 4);
    all.add(new Case<>(RepairPermit.class, repair, by -> r -> r.allows(by)));

    String signature = signatureOf(SpecName.path(SPEC, SIGNER));
    all.add(
        new Case<>(
            SpecName.class,
            SPEC,
            by ->
                v -> {
                  VolumePath at = new VolumePath(v.name(), v.id());
                  String own = SpecName.path(v, by);
                  String shape = own.substring(at.path().length() + 1, own.lastIndexOf('-'));
                  return SpecName.parse(at, shape + signature, by) != null;
                }));

    VolumePath volume = new VolumePath("disk", 7);
    byte[] deletion = volume.deletion(SIGNER);
    all.add(
        new Case<>(VolumePath.class, volume, by -> v -> Arrays.equals(v.deletion(by), deletion)));

    Accusation accusation = new Accusation(7, 2, EPOCH, 1, 3, Cause.WRONG_ANSWER, "what");
    byte[] said = accusation.sign(SIGNER);
    all.add(new Case<>(Accusation.class, accusation, by -> a -> a.isSigned(said, by)));
    return all;
  }

  static Stream<Arguments> cases() {
    return signed().stream().map(Arguments::of);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void noPlaceOfASignedRecordCanBeChanged(Case<?> c) {
    assertThat(c.isTaken(c.record(), SIGNER)).isTrue();
    Map<String, Record> changes = RecordChanges.of((Record) c.record());
    assertThat(changes.keySet().stream().map(RecordChanges::field).distinct())
        .containsExactlyElementsOf(RecordChanges.fields(c.record()));
    changes.forEach((path, other) -> assertThat(c.isTaken(other, SIGNER)).as(path).isFalse());
    assertThat(c.isTaken(c.record(), new Signer(new byte[] {2}))).as("another secret").isFalse();
  }

  /** Whoever signs something new finds here that it must be walked. */
  @Test
  void whateverIsSignedIsWalkedHereOrInTheTestOfMessages() throws URISyntaxException {
    List<String> walked = new ArrayList<>(OF_HEADERS);
    OF_MESSAGES.forEach(c -> walked.add(c.getName()));
    signed().stream().filter(c -> c.signs() != null).forEach(c -> walked.add(c.signs().getName()));
    Path core = Path.of(Signer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Stream<String> signing =
        new ClassFileImporter()
                .importPath(core.resolve("org/salus/core"))
                .get(Signer.class)
                .getAccessesToSelf()
                .stream()
                .filter(a -> a.getTarget().getName().equals("sign"))
                .map(JavaAccess::getOriginOwner)
                .map(c -> c.getName())
                .filter(name -> !name.equals(Signer.class.getName()))
                .distinct();
    assertThat(signing).containsExactlyInAnyOrderElementsOf(walked);
  }
}
