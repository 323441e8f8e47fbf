package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.Permission.FileState;
import org.salus.core.log.Position;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.WrittenManifest;

class CertificateGuardTest {
  private static final Change RENAME =
      new Change(
          Change.Op.RENAME,
          "/salus/d",
          0,
          FileState.DIRECTORY,
          List.of(),
          List.of(),
          new byte[] {1},
          null);

  private final CertificateGuard guard = new TestGuard();

  private static String shown() {
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    DefaultMetricsSystem.instance().getSource(GuardMetrics.NAME).getMetrics(collector, true);
    return collector.getRecords().toString();
  }

  @Test
  void everyRefusedChangeIsCountedAmongTheNameNodesMetrics() {
    long before = GuardMetrics.refusals();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> guard.check(RENAME))
          .isInstanceOf(AccessControlException.class)
          .hasMessageContaining("refused");
    }
    assertThat(GuardMetrics.refusals()).isEqualTo(before + 2);
    assertThat(shown())
        .contains("name=SalusGuard")
        .contains("RefusedTotal")
        .contains("" + (before + 2));
  }

  private static final RegionId REGION = new RegionId(1, 0);
  private static final List<Member> MEMBERS =
      List.of(new Member("a", 7, "a:1"), new Member("b", 7, "b:1"));
  private static final Signer SIGNER = new Signer(new byte[0]);
  private static final Signer STRANGER = new Signer(new byte[] {1});

  private static EpochLink link(int epoch, Signer master) {
    return EpochLink.first(REGION, epoch, MEMBERS, MEMBERS, master);
  }

  private static byte[] serves(int epoch, Signer members) {
    LogRecord manifest =
        new LogRecord(
            LogRecord.Type.MANIFEST,
            REGION,
            epoch,
            new Position(1, 0),
            new LogState().manifest(List.of("a", "b"), List.of()).encode());
    List<byte[]> signatures =
        MEMBERS.stream().map(m -> members.sign(m.node(), manifest.headerBuffer())).toList();
    return EpochRegister.serves(
        new WrittenManifest(
            manifest.permission(signatures),
            MEMBERS.stream().map(m -> WrittenManifest.word(manifest, m.node(), members)).toList()));
  }

  private void assertRefused(EpochRegister known, byte[] word, boolean isCounted) {
    long before = GuardMetrics.refusals();
    assertThatThrownBy(() -> guard.take("/salus/disk-0000000000000001/0000", known, Map.of(), word))
        .isInstanceOf(AccessControlException.class)
        .hasMessageContaining("refused");
    assertThat(GuardMetrics.refusals() - before).isEqualTo(isCounted ? 1 : 0);
  }

  /** Of a NameNode with another secret, all that a region without writes asks is of this kind. */
  @Test
  void wordsAboutEpochsOfAnotherSecretAreCounted() {
    EpochRegister opened = new EpochRegister(null, link(2, SIGNER), LogBefore.NONE);
    assertRefused(EpochRegister.NONE, EpochRegister.opens(link(2, STRANGER)), true);
    assertRefused(opened, serves(2, STRANGER), true);
    assertRefused(opened, new byte[] {9}, true);
    assertRefused(opened, new byte[0], true);
  }

  @Test
  void wordsAboutEpochsThatAreOverAreNotCounted() {
    EpochRegister opened = new EpochRegister(null, link(2, SIGNER), LogBefore.NONE);
    assertRefused(opened, EpochRegister.opens(link(1, SIGNER)), false);
    assertRefused(opened, serves(1, SIGNER), false);
    EpochRegister served = new EpochRegister(link(2, SIGNER), link(2, SIGNER), LogBefore.NONE);
    assertRefused(served, EpochRegister.opens(link(2, SIGNER)), false);
    assertRefused(served, EpochRegister.opens(link(3, SIGNER)), false);
  }
}
