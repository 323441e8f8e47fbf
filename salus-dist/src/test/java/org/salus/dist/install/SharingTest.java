package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SharingTest {
  private static final Path ROOT = Path.of("/opt/hadoop");
  private static final Path SITE = Path.of("/etc/hadoop/hdfs-site.xml");

  @ParameterizedTest
  @ValueSource(strings = {"nfs", "nfs4", "cifs", "fuse.sshfs", "ceph"})
  void hostsWithOneInstallationHaveOneFileOfSettings(String type) {
    assertThatThrownBy(() -> Sharing.requireOneSite(ROOT, type, SITE, false))
        .hasMessageContaining(ROOT + " is on " + type)
        .hasMessageContaining(SITE + " is not");
    assertThatCode(() -> Sharing.requireOneSite(ROOT, type, SITE, true)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ext4", "xfs", "overlay", "tmpfs", "zfs"})
  void aDiskOfOneHostMayHaveThemElsewhere(String type) {
    assertThatCode(() -> Sharing.requireOneSite(ROOT, type, SITE, false))
        .doesNotThrowAnyException();
  }
}
