package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.salus.dist.data.SettingsFile;

/** Whatever is refused is one sentence with the way out, and nothing is touched. */
class InstallRefusalsTest {
  @TempDir Path temp;
  private Layout layout;
  private Map<String, String> before;

  @BeforeEach
  void layOut() throws IOException {
    layout = new Layout(temp.toRealPath());
  }

  private void refused(String... words) throws IOException {
    before = layout.files();
    assertThatThrownBy(() -> layout.installer("1.0").install(layout.homes(), Layout.USER, s -> {}))
        .isInstanceOf(IOException.class)
        .message()
        .contains(words);
  }

  @AfterEach
  void nothingWasTouched() throws IOException {
    if (before != null) {
      assertThat(layout.files()).isEqualTo(before);
    }
  }

  private static void set(Path site, String key, String value) throws IOException {
    String property = "<property><name>" + key + "</name><value>" + value + "</value></property>\n";
    Files.writeString(
        site, Files.readString(site).replace("</configuration>", property + "</configuration>"));
  }

  @ParameterizedTest
  @CsvSource({
    "dfs.block.replicator.classname, com.example.Other, org.salus.datanode.hdfs.MemberPlacement",
    "dfs.datanode.fsdataset.factory, com.example.Other, org.salus.datanode.hdfs.GuardedDataset",
    "dfs.namenode.lease-hard-limit-sec, 1200, at least 315360000",
    "dfs.datanode.synconclose, false, true",
    "dfs.namenode.edits.noeditlogchannelflush, true, false",
    "dfs.data.transfer.protection, privacy, use another cluster",
    "dfs.encrypt.data.transfer, true, use another cluster",
    "salus.zookeeper.quorum, other:2181, 'zk1:2181,zk2:2181'"
  })
  void aValueThatContradicts(String key, String value, String needed) throws IOException {
    set(layout.hdfsSite(), key, value);
    refused(layout.hdfsSite() + " has " + key + " = " + value, needed, "take it out");
  }

  @ParameterizedTest
  @CsvSource({
    "hadoop, core-site.xml, hadoop.security.authentication, kerberos, does not support Kerberos yet",
    "hadoop, hdfs-site.xml, dfs.block.access.token.enable, true, does not support block tokens yet",
    "hbase, core-site.xml, hadoop.security.authentication, kerberos, does not support Kerberos yet",
    "hbase, hbase-site.xml, hbase.security.authentication, kerberos, does not support Kerberos yet",
    "hadoop, core-site.xml, dfs.encrypt.data.transfer, true, Salus has no encryption there"
  })
  void whatSalusDoesNotSupport(String of, String file, String key, String value, String why)
      throws IOException {
    Path site = (of.equals("hadoop") ? layout.hdfsSite() : layout.hbaseSite()).resolveSibling(file);
    if (!Files.exists(site)) {
      Layout.write(site, "<configuration></configuration>");
    }
    set(site, key, value);
    refused(site + " has " + key + " = " + value, why);
  }

  @Test
  void anHBaseWithoutCoprocessors() throws IOException {
    set(layout.hbaseSite(), "hbase.coprocessor.enabled", "false");
    refused("hbase.coprocessor.enabled = false", "take it out");
  }

  @Test
  void aListThatEndsWithACommaInAnotherSetting() throws IOException {
    set(layout.hdfsSite(), "more", "a.B,");
    Files.writeString(
        layout.hdfsSite(),
        Files.readString(layout.hdfsSite()).replace("com.example.Plugin", "${more}"));
    refused("dfs.namenode.plugins would be read as a.B,,", "uses another setting");
  }

  @Test
  void aLinkThatLeadsNowhereInThePlaceOfAJar() throws IOException {
    Path link = layout.hadoopJars().resolve("salus-host-1.0.jar");
    Files.createSymbolicLink(link, layout.dir.resolve("none"));
    assertThatThrownBy(() -> layout.installer("1.0").planInstall(layout.homes(), Layout.USER))
        .hasMessage(link + " is a link to a file that is gone: delete it");
  }

  @Test
  void whatIsOfPackagesIsNamed() throws IOException {
    Path beside = Files.createDirectory(layout.dir.resolve("hadoop-hdfs"));
    Files.delete(layout.hadoop.resolve("share/hadoop/hdfs/hadoop-hdfs-3.4.1.jar"));
    assertThatThrownBy(() -> Home.find(Product.HADOOP, layout.hadoop, null))
        .hasMessageEndingWith("with --hadoop, here perhaps " + beside);
  }

  @Test
  void allContradictionsAreToldAtOnce() throws IOException {
    set(layout.hbaseSite(), "hbase.master.loadbalancer.class", "com.example.Other");
    set(layout.hbaseSite(), "hbase.wal.hsync", "false");
    refused("hbase.master.loadbalancer.class = com.example.Other", "hbase.wal.hsync = false");
  }

  @Test
  void aListThatIsFinalElsewhere() throws IOException {
    Path more =
        Layout.write(
            layout.hdfsSite().resolveSibling("more.xml"),
            "<configuration><property><name>dfs.namenode.plugins</name><value>a.B</value>"
                + "<final>true</final></property></configuration>");
    Layout.write(
        layout.hdfsSite(),
        "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\""
            + more.getFileName()
            + "\"/></configuration>");
    refused("dfs.namenode.plugins would be read as a.B", "final", "yourself");
  }

  @Test
  void aListOfAFileThatIsIncludedIsExtended() throws IOException {
    Layout.write(
        layout.hdfsSite().resolveSibling("more.xml"),
        "<configuration><property><name>dfs.namenode.plugins</name><value>a.B</value>"
            + "</property></configuration>");
    Layout.write(
        layout.hdfsSite(),
        "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include href=\"more.xml\"/></configuration>");
    layout.installer("1.0").install(layout.homes(), Layout.USER, s -> {});
    assertThat(SettingsFile.read(layout.hdfsSite()))
        .containsEntry("dfs.namenode.plugins", "a.B,org.salus.datanode.hdfs.GuardPlugin");
  }

  @ParameterizedTest
  @CsvSource({
    "share/hadoop/hdfs/hadoop-hdfs-3.4.1.jar, share/hadoop/hdfs/hadoop-hdfs-3.3.6.jar, has Hadoop 3.3.6",
    "share/hadoop/hdfs/hadoop-hdfs-3.4.1.jar, share/hadoop/hdfs/hadoop-hdfs-4.0.0.jar, has Hadoop 4.0.0",
    "share/hadoop/hdfs/hadoop-hdfs-3.4.1.jar, elsewhere.jar, give the directory of an unpacked Hadoop with --hadoop",
    "etc/hadoop/hdfs-site.xml, etc/other.xml, --hadoop-conf DIR"
  })
  void aHadoopOfAnotherVersionOrKind(String from, String to, String why) throws IOException {
    Files.move(layout.hadoop.resolve(from), layout.hadoop.resolve(to));
    refused(why);
  }

  @ParameterizedTest
  @CsvSource({
    "2.6.4, has HBase 2.6.4",
    "2.5.10-hadoop3, has HBase 2.5.10-hadoop3",
    "3.0.0-beta-1, has HBase 3.0.0-beta-1"
  })
  void anHBaseOfAnotherVersion(String version, String why) throws IOException {
    Path lib = layout.hbase.resolve("lib");
    Files.move(
        lib.resolve("hbase-server-2.6.4-hadoop3.jar"),
        lib.resolve("hbase-server-" + version + ".jar"));
    refused(why, "Salus works with 2.6.x-hadoop3");
  }

  @Test
  void aFileThatIsNoXml() throws IOException {
    Layout.write(layout.hbaseSite(), "<configuration>");
    refused("hbase-site.xml is not valid XML");
  }

  @Test
  void anHBaseWithoutHdfs() throws IOException {
    Layout.write(layout.hbaseSite(), "<configuration></configuration>");
    refused("hbase.cluster.distributed", "run it on HDFS first");
    Layout.write(layout.hbaseSite(), Layout.HBASE_SITE.replace("hdfs:", "s3a:"));
    refused("hbase.rootdir = s3a://nn:8020/hbase", "needs an HBase on HDFS");
  }

  @Test
  void secretsThatDifferAndNoneIsPrinted() throws IOException {
    set(layout.hdfsSite(), "salus.secret", "aaaa");
    set(layout.hbaseSite(), "salus.secret", "bbbb");
    refused("have not the same salus.secret");
    assertThatThrownBy(() -> layout.installer("1.0").planInstall(layout.homes(), Layout.USER))
        .message()
        .doesNotContain("aaaa", "bbbb");
  }

  @Test
  void aZooKeeperThatIsNamedByAVariable() throws IOException {
    Layout.write(layout.hbaseSite(), Layout.HBASE_SITE.replace("zk1,zk2", "${no.such.variable}"));
    refused("--zookeeper HOST:PORT");
  }

  @Test
  void jarsOfSalusThatSomebodyElseHasPutThere() throws IOException {
    Layout.write(layout.hadoop.resolve("share/hadoop/common/lib/salus-core-0.9.jar"), "old");
    refused("share/hadoop/common/lib/salus-core-0.9.jar", "move them away");
  }

  @Test
  void aJavaThatIsTooOld() throws IOException {
    Path java = layout.dir.resolve("jdk");
    Layout.write(java.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"1.8.0_392\"\n");
    Path script =
        Layout.write(
            layout.hbaseSite().resolveSibling("hbase-env.sh"),
            "# export JAVA_HOME=/none\nexport JAVA_HOME=\"" + java + "\"\n");
    refused(script + " starts HBase with Java 8", "set JAVA_HOME");
    Layout.write(java.resolve("release"), "JAVA_VERSION=\"17.0.9\"\n");
    layout.installer("1.0").planInstall(layout.homes(), Layout.USER);
  }

  @Test
  void aManifestThatNobodyUnderstands() throws IOException {
    Layout.write(layout.hadoop.resolve("salus-installed/hadoop/manifest"), "format=2\n");
    refused("manifest is damaged or of another version");
  }

  @Test
  void aZooKeeperThatIsNotHBases() throws IOException {
    before = layout.files();
    assertThatThrownBy(
            () ->
                layout
                    .installer("1.0")
                    .planInstall(layout.homes(), new Wishes("other:2181", "hbase", false)))
        .hasMessageContaining(
            "names ZooKeeper zk1:2181,zk2:2181, and --zookeeper names other:2181");
    assertThat(
            layout
                .installer("1.0")
                .planInstall(layout.homes(), new Wishes("zk2:2181", "hbase", false)))
        .noneMatch(Plan::isEmpty);
  }

  @Test
  void aVariableForZooKeeperInHdfsAlone() throws IOException {
    set(layout.hdfsSite(), "salus.zookeeper.quorum", "${no.such.variable}");
    before = layout.files();
    List<Home> hadoop = List.of(layout.homes().get(0));
    assertThatThrownBy(() -> layout.installer("1.0").planInstall(hadoop, Layout.USER))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("--zookeeper HOST:PORT");
  }

  @Test
  void whoRunsRegionServersIsNotGuessedFromAnArchive() throws IOException {
    String owner = Files.getOwner(layout.hbase).getName();
    Wishes none = new Wishes(null, null, false);
    if (owner.equals("root")) {
      assertThatThrownBy(() -> layout.installer("1.0").planInstall(layout.homes(), none))
          .hasMessage(
              layout.hbase
                  + " belongs to root: say who runs the region servers with --hbase-user USER");
      List<Home> hbase = List.of(layout.homes().get(1)); // there nobody needs to know
      assertThat(layout.installer("1.0").planInstall(hbase, none)).noneMatch(Plan::isEmpty);
      assertThat(Installer.regionServerUser(hbase, none)).isEmpty();
    }
    Files.createDirectory(layout.hbase.resolve("logs"));
    assertThat(layout.installer("1.0").planInstall(layout.homes(), none).get(1).notes())
        .anyMatch(n -> n.startsWith(owner + " is taken for who runs the region servers"));
  }

  @Test
  void aHadoopAndAnHBaseWithTheirJarsInOneDirectory() throws IOException {
    Path lib = layout.hbase.resolve("lib");
    Layout.write(lib.resolve("hadoop-hdfs-3.4.1.jar"), "hdfs");
    Layout.write(layout.hbase.resolve("etc/hadoop/hdfs-site.xml"), Layout.HDFS_SITE);
    before = layout.files();
    List<Home> both = List.of(Home.find(Product.HADOOP, layout.hbase, null), layout.homes().get(1));
    assertThatThrownBy(() -> layout.installer("1.0").planInstall(both, Layout.USER))
        .hasMessageContaining("have their jars in one directory, " + lib);
  }
}
