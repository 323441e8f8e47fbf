package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.data.SettingsFile;
import org.salus.dist.need.Need;

/** Installs into directories that look like a Hadoop and an HBase. */
class InstallerTest {
  private static final String PLUGIN = "org.salus.datanode.hdfs.GuardPlugin";

  @TempDir Path temp;
  private Layout layout;
  private final List<String> progress = new ArrayList<>();

  @BeforeEach
  void layOut() throws IOException {
    layout = new Layout(temp.toRealPath());
  }

  private List<Plan> install(String version) throws IOException {
    return layout.installer(version).install(layout.homes(), Layout.USER, progress::add);
  }

  private List<Plan> uninstall() throws IOException {
    List<Home> homes =
        List.of(
            Home.installed(Product.HADOOP, layout.hadoop),
            Home.installed(Product.HBASE, layout.hbase));
    return layout.installer("1.0").uninstall(homes, progress::add);
  }

  @Test
  void everyNeedIsMetThenAndAllElseIsAsBefore() throws IOException {
    Map<String, String> hdfs = SettingsFile.read(layout.hdfsSite());
    Map<String, String> hbase = SettingsFile.read(layout.hbaseSite());
    List<Home> homes = layout.homes();
    install("1.0");
    Wanted wanted = new Wanted(homes, Layout.USER);
    for (Home home : homes) {
      Map<String, String> now = SettingsFile.read(home.site());
      for (Need need : wanted.needs(home.product())) {
        assertThat(need.isMetBy(now.getOrDefault(need.key(), ""))).as(need.key()).isTrue();
      }
    }
    Map<String, String> now = SettingsFile.read(layout.hdfsSite());
    assertThat(now)
        .containsEntry("dfs.namenode.plugins", "com.example.Plugin," + PLUGIN)
        .containsEntry("dfs.block.local-path-access.user", "hbase")
        .containsEntry("salus.zookeeper.quorum", "zk1:2181,zk2:2181")
        .containsAllEntriesOf(without(hdfs, "dfs.namenode.plugins"));
    assertThat(SettingsFile.read(layout.hbaseSite()))
        .containsEntry(
            "hbase.http.filter.initializers",
            "org.apache.hadoop.hbase.http.lib.StaticUserWebFilter,org.salus.monitor.hbase.SalusPages")
        .containsEntry(
            "hbase.coprocessor.master.classes",
            "com.example.A, com.example.B,org.salus.master.hbase.SalusMasterCoprocessor")
        .containsAllEntriesOf(without(hbase, "hbase.coprocessor.master.classes"));
  }

  @Test
  void theNameNodeShowsPrometheusItsMetricsUnlessSomebodyHasSetIt() throws IOException {
    String key = "hadoop.prometheus.endpoint.enabled";
    String before = Files.readString(layout.hdfsSite());
    install("1.0");
    assertThat(SettingsFile.read(layout.hdfsSite())).containsEntry(key, "true");
    uninstall();
    assertThat(layout.hdfsSite()).hasContent(before);
    Files.writeString(
        layout.hdfsSite().resolveSibling("core-site.xml"),
        "<configuration><property><name>"
            + key
            + "</name><value>false</value></property></configuration>");
    install("1.0");
    assertThat(SettingsFile.read(layout.hdfsSite())).doesNotContainKey(key);
  }

  @Test
  void hbaseLoadsNoJarsOfOthersUnlessSomebodyHasSetIt() throws IOException {
    String key = "hbase.use.dynamic.jars";
    String before = Files.readString(layout.hbaseSite());
    install("1.0");
    assertThat(SettingsFile.read(layout.hbaseSite())).containsEntry(key, "false");
    uninstall();
    assertThat(layout.hbaseSite()).hasContent(before);
    Files.writeString(
        layout.hbaseSite(),
        before.replace(
            "</configuration>",
            "<property><name>" + key + "</name><value>true</value></property></configuration>"));
    install("1.0");
    assertThat(SettingsFile.read(layout.hbaseSite())).containsEntry(key, "true");
  }

  private static Map<String, String> without(Map<String, String> all, String key) {
    all.remove(key);
    return all;
  }

  @Test
  void theJarsThatADaemonLacksAreThereAndNoOthers() throws IOException {
    Map<String, String> before = layout.files();
    install("1.0");
    assertThat(newJars(before))
        .containsExactlyInAnyOrder(
            "hadoop/share/hadoop/hdfs/lib/salus-core-1.0.jar",
            "hadoop/share/hadoop/hdfs/lib/salus-host-1.0.jar",
            "hadoop/share/hadoop/hdfs/lib/salus-datanode-1.0.jar",
            "hbase/lib/salus-core-1.0.jar",
            "hbase/lib/salus-host-1.0.jar",
            "hbase/lib/salus-client-1.0.jar",
            "hbase/lib/salus-monitor-1.0.jar",
            "hbase/lib/salus-datanode-1.0.jar",
            "hbase/lib/salus-regionserver-1.0.jar",
            "hbase/lib/salus-master-1.0.jar",
            "hbase/lib/HdrHistogram-3.0.jar",
            "hbase/lib/jna-3.0.jar");
  }

  @Test
  void aLibraryThatHBaseDoesNotHaveComesToo() throws IOException {
    Files.delete(layout.hbase.resolve("lib/curator-client-2.0.jar"));
    Map<String, String> before = layout.files();
    install("1.0");
    assertThat(newJars(before)).contains("hbase/lib/curator-client-3.0.jar");
    uninstall();
    assertThat(layout.files()).isEqualTo(before);
  }

  private Set<String> newJars(Map<String, String> before) throws IOException {
    Set<String> jars = new TreeSet<>(layout.files().keySet());
    jars.removeAll(before.keySet());
    jars.removeIf(name -> !name.endsWith(".jar"));
    return jars;
  }

  @Test
  void aPlanTouchesNothingAndShowsEachDifference() throws IOException {
    Map<String, String> before = layout.files();
    List<Plan> plans = layout.installer("1.0").planInstall(layout.homes(), Layout.USER);
    assertThat(layout.files()).isEqualTo(before);
    assertThat(plans.get(0).diff())
        .startsWith("--- " + layout.hdfsSite(), "+++ " + layout.hdfsSite())
        .contains(
            "-    <value>com.example.Plugin</value>",
            "+    <value>com.example.Plugin," + PLUGIN + "</value>",
            "+    <name>dfs.namenode.lease-hard-limit-sec</name>");
    assertThat(plans.get(0).others())
        .contains(
            "copy " + layout.hadoopJars().resolve("salus-core-1.0.jar"),
            "write " + layout.homes().get(0).manifest())
        .anyMatch(o -> o.startsWith("write ") && o.contains("hdfs-site.xml.before-"));
    assertThat(plans.get(0).copied())
        .containsExactly("salus-core-1.0.jar", "salus-host-1.0.jar", "salus-datanode-1.0.jar");
  }

  @Test
  void aSecondRunDoesNothing() throws IOException {
    install("1.0");
    Map<String, String> once = layout.files();
    assertThat(install("1.0")).allMatch(Plan::isEmpty);
    assertThat(layout.files()).isEqualTo(once);
  }

  @Test
  void itIsTakenOutByteForByte() throws IOException {
    Map<String, String> before = layout.files();
    install("1.0");
    assertThat(layout.files()).isNotEqualTo(before);
    assertThat(uninstall()).allMatch(p -> p.notes().isEmpty());
    assertThat(layout.files()).isEqualTo(before);
    assertThat(uninstall()).isEmpty();
    assertThat(layout.files()).isEqualTo(before);
  }

  @Test
  void anUpgradeLeavesOnlyTheNewJars() throws IOException {
    Map<String, String> before = layout.files();
    install("1.0");
    install("2.0");
    assertThat(newJars(before))
        .contains("hbase/lib/salus-core-2.0.jar", "hadoop/share/hadoop/hdfs/lib/salus-core-2.0.jar")
        .noneMatch(name -> name.endsWith("-1.0.jar"));
    assertThat(layout.installer("2.0").planInstall(layout.homes(), Layout.USER))
        .allMatch(Plan::isEmpty);
    uninstall();
    assertThat(layout.files()).isEqualTo(before);
  }

  @Test
  void whatHasGoneSinceComesBack() throws IOException {
    install("1.0");
    Map<String, String> whole = layout.files();
    Files.delete(layout.hadoopJars().resolve("salus-host-1.0.jar"));
    Layout.write(layout.hdfsSite(), Layout.HDFS_SITE);
    install("1.0");
    assertThat(layout.files()).isEqualTo(whole);
  }

  @Test
  void theModeOfAFileStays() throws IOException {
    Files.setPosixFilePermissions(layout.hbaseSite(), PosixFilePermissions.fromString("r--r-----"));
    install("1.0");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(layout.hbaseSite())))
        .isEqualTo("r--r-----");
    assertThat(
            mode(
                layout.hbase.resolve(
                    "salus-installed/hbase/hbase-site.xml.before-20261130-010203")))
        .isEqualTo("r--r-----");
    assertThat(mode(layout.hbase.resolve("lib/salus-core-1.0.jar"))).isEqualTo("rw-r--r--");
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void aLinkToAFileOfSettingsStaysALink() throws IOException {
    Path real = Files.move(layout.hdfsSite(), layout.dir.resolve("real.xml"));
    Files.createSymbolicLink(layout.hdfsSite(), real);
    install("1.0");
    assertThat(layout.hdfsSite()).isSymbolicLink();
    assertThat(SettingsFile.read(real)).containsKey("salus.namenode.guard.class");
    uninstall();
    assertThat(real).hasContent(Layout.HDFS_SITE);
  }

  @Test
  void theBackupIsTheFileOfBefore() throws IOException {
    install("1.0");
    assertThat(layout.hadoop.resolve("salus-installed/hadoop/hdfs-site.xml.before-20261130-010203"))
        .hasContent(Layout.HDFS_SITE);
  }

  @Test
  void whatWasChangedByHandStaysAndIsTold() throws IOException {
    install("1.0");
    Path jar = layout.hbase.resolve("lib/jna-3.0.jar");
    Files.writeString(jar, "another");
    Files.writeString(
        layout.hdfsSite(),
        Files.readString(layout.hdfsSite()).replace(">315360000<", ">999999999<"));
    List<Plan> plans = uninstall();
    assertThat(plans.get(0).notes())
        .satisfiesExactly(
            n -> assertThat(n).contains("dfs.namenode.lease-hard-limit-sec = 999999999 now"),
            n -> assertThat(n).contains("is not as before Salus came", "before-20261130-010203"));
    assertThat(plans.get(1).notes())
        .singleElement()
        .asString()
        .contains(jar + " was changed since it was installed: it stays");
    assertThat(SettingsFile.read(layout.hdfsSite()))
        .isEqualTo(
            Map.of(
                "dfs.namenode.plugins",
                "com.example.Plugin",
                "dfs.replication",
                "3",
                "dfs.namenode.lease-hard-limit-sec",
                "999999999"));
    assertThat(jar).exists();
    assertThat(layout.hbase.resolve("lib/salus-core-1.0.jar")).doesNotExist();
  }

  @Test
  void onlyOneOfTwoCanBeInstalledAndTakenOut() throws IOException {
    Map<String, String> before = layout.files();
    Home hadoop = layout.homes().get(0);
    assertThatThrownBy(
            () ->
                layout
                    .installer("1.0")
                    .install(List.of(hadoop), new Wishes(null, "hbase", false), progress::add))
        .hasMessageContaining("--zookeeper");
    assertThatThrownBy(
            () ->
                layout
                    .installer("1.0")
                    .install(List.of(hadoop), new Wishes("zk1:2181", null, false), progress::add))
        .hasMessageContaining("--hbase-user");
    layout
        .installer("1.0")
        .install(List.of(hadoop), new Wishes("zk1:2181", "hbase", false), progress::add);
    assertThat(SettingsFile.read(layout.hdfsSite()))
        .containsEntry("salus.zookeeper.quorum", "zk1:2181");
    // What is there is enough to know for a second run, and for one of HBase.
    assertThat(
            layout
                .installer("1.0")
                .install(List.of(hadoop), new Wishes(null, null, false), progress::add))
        .allMatch(Plan::isEmpty);
    install("1.0");
    uninstall();
    assertThat(layout.files()).isEqualTo(before);
  }

  @Test
  void twoAtATimeAreTooMany() throws IOException {
    try (HomeLocks held = HomeLocks.of(List.of(layout.homes().get(1)))) {
      assertThat(held).isNotNull();
      assertThatThrownBy(() -> install("1.0"))
          .hasMessageContaining("another 'salus install' or 'salus uninstall' is at work");
      assertThat(layout.hadoop.resolve("salus-installed")).doesNotExist();
    }
    assertThat(install("1.0")).noneMatch(Plan::isEmpty);
  }
}
