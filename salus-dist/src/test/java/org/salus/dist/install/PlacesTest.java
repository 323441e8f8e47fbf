package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.data.SettingsFile;

/** Whatever way leads to a place, it is the same one, and nobody loses jars or keeps keys. */
class PlacesTest {
  @TempDir(factory = InMemory.class)
  Path temp;

  private final List<String> progress = new ArrayList<>();
  private Layout layout;

  @BeforeEach
  void layOut() throws IOException {
    layout = layout("one");
  }

  private Layout layout(String name) throws IOException {
    return new Layout(Files.createDirectories(temp.toRealPath().resolve(name)).toRealPath());
  }

  private List<Plan> install(String version) throws IOException {
    return layout.installer(version).install(layout.homes(), Layout.USER, progress::add);
  }

  private List<Plan> uninstall(Path hadoop, Path hbase) throws IOException {
    List<Home> homes =
        List.of(Home.installed(Product.HADOOP, hadoop), Home.installed(Product.HBASE, hbase));
    return layout.installer("1.0").uninstall(homes, progress::add);
  }

  private List<Plan> uninstall() throws IOException {
    return uninstall(layout.hadoop, layout.hbase);
  }

  @Test
  void aSecondInstallThroughALinkDoesNothing() throws IOException {
    install("1.0");
    Map<String, String> once = layout.files();
    Path hadoop = Files.createSymbolicLink(layout.dir.resolve("h"), layout.hadoop);
    Path hbase = Files.createSymbolicLink(layout.dir.resolve("b"), layout.hbase);
    List<Home> homes =
        List.of(
            Home.find(Product.HADOOP, hadoop, hadoop.resolve("etc/hadoop")),
            Home.find(Product.HBASE, hbase, null));
    assertThat(layout.installer("1.0").install(homes, Layout.USER, progress::add))
        .allMatch(Plan::isEmpty);
    assertThat(layout.files()).isEqualTo(once);
  }

  @Test
  void jarsAreNotDeletedWhoseDirectoryHasAnotherNameNow() throws IOException {
    Path lib = layout.hadoopJars();
    Files.delete(lib.resolve("other-1.jar"));
    Files.delete(lib);
    install("1.0");
    Files.createSymbolicLink(lib, Path.of("."));
    install("1.0");
    assertThat(lib.resolveSibling("salus-core-1.0.jar")).exists();
    uninstall();
    assertThat(lib.resolveSibling("salus-core-1.0.jar")).doesNotExist();
  }

  @Test
  void aPlaceThatWasMovedIsTakenOutWhole() throws IOException {
    Map<String, String> before = layout.files();
    install("1.0");
    Path away = Files.move(layout.hadoop, layout.dir.resolve("moved"));
    assertThat(uninstall(away, layout.hbase)).allMatch(p -> p.notes().isEmpty());
    Files.move(away, layout.hadoop);
    assertThat(layout.files()).isEqualTo(before);
  }

  @Test
  void aLinkThatNamesAnotherVersionNowIsNotTakenForTheOldOne() throws IOException {
    Path link = Files.createSymbolicLink(layout.dir.resolve("h"), layout.hadoop);
    layout
        .installer("1.0")
        .install(
            List.of(Home.find(Product.HADOOP, link, null), layout.homes().get(1)),
            Layout.USER,
            progress::add);
    Map<String, String> installed = layout.files();
    Layout next = layout("next");
    Files.delete(link);
    Files.createSymbolicLink(link, next.hadoop);
    assertThat(
            layout
                .installer("1.0")
                .uninstall(List.of(Home.installed(Product.HADOOP, link)), progress::add))
        .isEmpty();
    assertThat(layout.files()).isEqualTo(installed);
  }

  @Test
  void settingsAreTakenOutWhereDaemonsReadThemNow() throws IOException {
    Path conf = layout.hadoop.resolve("etc/hadoop");
    Path old = Files.move(conf, layout.dir.resolve("conf1"));
    Files.createSymbolicLink(conf, old);
    install("1.0");
    Path now = Files.createDirectory(layout.dir.resolve("conf2")).resolve("hdfs-site.xml");
    Files.copy(old.resolve("hdfs-site.xml"), now);
    Files.delete(conf);
    Files.createSymbolicLink(conf, now.getParent());
    assertThat(uninstall().get(0).notes())
        .anyMatch(n -> n.startsWith(old.resolve("hdfs-site.xml") + " has settings of Salus, too"));
    assertThat(now).hasContent(Layout.HDFS_SITE);
  }

  @Test
  void whatARunOnAnotherHostHasPutIsTakenOut() throws IOException {
    Layout model = layout("model");
    model.installer("1.0").install(model.homes(), Layout.USER, progress::add);
    Files.writeString(layout.hdfsSite(), Files.readString(model.hdfsSite()));
    Files.writeString(layout.hbaseSite(), Files.readString(model.hbaseSite()));
    install("1.0");
    assertThat(install("1.0")).allMatch(Plan::isEmpty);
    assertThat(uninstall()).allMatch(p -> p.notes().isEmpty());
    assertThat(layout.hdfsSite()).hasContent(Layout.HDFS_SITE);
    assertThat(SettingsFile.read(layout.hbaseSite()))
        .hasSize(4)
        .containsEntry("hbase.coprocessor.master.classes", "com.example.A,com.example.B");
    assertThat(layout.hadoop.resolve("salus-installed")).doesNotExist();
  }

  /** It stands among Salus' settings, but with a value that Salus does not put there. */
  @Test
  void aValueThatSomebodyHasSetAmongThoseOfSalusStays() throws IOException {
    Layout model = layout("model");
    model.installer("1.0").install(model.homes(), Layout.USER, progress::add);
    String key = "hbase.use.dynamic.jars";
    String theirs =
        Files.readString(model.hbaseSite())
            .replaceFirst("(" + key + "</name>\\s*<value>)false", "$1true")
            .replace(",org.salus.master.hbase.SalusMasterCoprocessor", "");
    Files.writeString(layout.hbaseSite(), theirs);
    assertThat(SettingsFile.read(layout.hbaseSite())).containsEntry(key, "true");
    install("1.0");
    assertThat(SettingsFile.read(layout.hbaseSite()))
        .containsEntry(key, "true")
        .hasEntrySatisfying(
            "hbase.coprocessor.master.classes", v -> assertThat(v).contains("org.salus"));
    uninstall();
    assertThat(SettingsFile.read(layout.hbaseSite())).containsEntry(key, "true");
  }

  @Test
  void keysThatWerePutByHandAreNotLeftWithoutJars() throws IOException {
    Layout model = layout("model");
    model.installer("1.0").install(model.homes(), Layout.USER, progress::add);
    Files.writeString(
        layout.hdfsSite(), Files.readString(model.hdfsSite()).replaceAll("<!-- 'salus.*", ""));
    install("1.0");
    Map<String, String> installed = layout.files();
    assertThatThrownBy(this::uninstall)
        .hasMessageContaining(layout.hdfsSite() + " would still name classes of Salus")
        .hasMessageContaining(
            "dfs.block.replicator.classname=org.salus.datanode.hdfs.MemberPlacement")
        .hasMessageContaining("take them out yourself, and run this again")
        .hasMessageContaining("dfs.datanode.synconclose");
    assertThat(layout.files()).isEqualTo(installed);
    Files.writeString(
        layout.hdfsSite(),
        Layout.HDFS_SITE.replace(
            "</configuration>",
            "<property><name>salus.zookeeper.quorum</name><value>z</value></property>"
                + "</configuration>"));
    assertThat(uninstall().get(0).notes())
        .anyMatch(n -> n.endsWith("that are Salus' yourself: salus.zookeeper.quorum"));
    assertThat(layout.hadoopJars().resolve("salus-core-1.0.jar")).doesNotExist();
  }

  @Test
  void settingsThatAreGoneAreAskedFor() throws IOException {
    install("1.0");
    Path away = Files.move(layout.hdfsSite(), layout.dir.resolve("away"));
    Map<String, String> installed = layout.files();
    assertThatThrownBy(this::uninstall)
        .hasMessageContaining("there is no " + layout.hdfsSite() + " any more");
    assertThat(layout.files()).isEqualTo(installed);
    Files.move(away, layout.hdfsSite());
    uninstall();
    assertThat(layout.hdfsSite()).hasContent(Layout.HDFS_SITE);
  }

  @Test
  void jarsThatWereThereBeforeStay() throws IOException {
    Path jar = layout.hadoopJars().resolve("salus-host-1.0.jar");
    Layout.write(jar, "salus-host1.0");
    Map<String, String> before = layout.files();
    assertThat(install("1.0").get(0).notes())
        .contains(jar + " was there already: 'salus uninstall' will leave it there");
    uninstall();
    assertThat(layout.files()).isEqualTo(before);
  }

  @Test
  void aJarThatWasChangedIsReplacedAndThatIsTold() throws IOException {
    install("1.0");
    Path jar = layout.hbase.resolve("lib/jna-3.0.jar");
    Files.writeString(jar, "another");
    assertThat(install("1.0").get(1).notes())
        .contains(jar + " was changed since it was installed: it is replaced");
    assertThat(jar).hasContent("jna");
  }

  @Test
  void onlyAnUpgradeReplaces() throws IOException {
    assertThat(install("1.0")).noneMatch(Plan::replaces);
    Path jar = layout.hadoopJars().resolve("salus-host-1.0.jar");
    Files.delete(jar);
    assertThat(install("1.0")).noneMatch(Plan::replaces);
    assertThat(install("2.0")).allMatch(Plan::replaces);
    Jars rebuilt = layout.salus("2.0");
    Files.writeString(rebuilt.of("salus-host"), "the same version, built again");
    Installer again = new Installer(rebuilt, InstantSource.fixed(Layout.NOW), step -> {});
    assertThat(again.install(layout.homes(), Layout.USER, progress::add)).allMatch(Plan::replaces);
  }

  @Test
  void anOlderSalusIsRefused() throws IOException {
    install("2.0");
    Map<String, String> newer = layout.files();
    for (String older : List.of("1.0", "2.0-SNAPSHOT")) {
      assertThatThrownBy(() -> install(older))
          .hasMessageContaining("is Salus 2.0, and this is " + older)
          .hasMessageContaining("use bin/salus of 2.0");
    }
    assertThat(layout.files()).isEqualTo(newer);
    Wishes back = new Wishes(null, "hbase", true);
    assertThat(layout.installer("1.0").install(layout.homes(), back, progress::add))
        .allMatch(Plan::replaces);
    assertThat(layout.hadoopJars().resolve("salus-core-2.0.jar")).doesNotExist();
    install("10.0");
  }

  @Test
  void aManifestThatWasDamagedIsRefused() throws IOException {
    install("1.0");
    Path manifest = layout.hadoop.resolve("salus-installed/hadoop/manifest");
    Files.writeString(manifest, Files.readString(manifest).replace("salus-host", "salus-hosp"));
    assertThatThrownBy(this::uninstall).hasMessageContaining(manifest + " is damaged");
  }

  @Test
  void otherNamesOfAFileAreTold() throws IOException {
    Path other = layout.dir.resolve("other");
    Files.createLink(other, layout.hdfsSite());
    assertThat(install("1.0").get(0).notes())
        .contains(
            layout.hdfsSite() + " has 2 names (hard links): what the others name stays as it is");
    assertThat(other).hasContent(Layout.HDFS_SITE);
  }

  @Test
  void aListInCoreSiteIsNotHidden() throws IOException {
    Layout.write(
        layout.hbaseSite().resolveSibling("core-site.xml"),
        "<configuration><property><name>hbase.coprocessor.user.region.classes</name>"
            + "<value>com.example.C</value></property></configuration>");
    Map<String, String> before = layout.files();
    install("1.0");
    assertThat(SettingsFile.read(layout.hbaseSite()))
        .containsEntry(
            "hbase.coprocessor.user.region.classes",
            "com.example.C,org.salus.regionserver.hbase.SalusRegionCoprocessor");
    uninstall();
    assertThat(layout.files()).isEqualTo(before);
  }

  @Test
  void aLibraryThatWasChangedStaysInAnUpgrade() throws IOException {
    install("1.0");
    Path jar = Files.writeString(layout.hbase.resolve("lib/jna-3.0.jar"), "another");
    Layout.write(layout.hbase.resolve("lib/jna-9.0.jar"), "jna");
    assertThat(install("2.0").get(1).notes())
        .contains(jar + " was changed since it was installed: it stays, delete it yourself");
    assertThat(jar).hasContent("another");
  }

  @Test
  void aLockThatIsALinkToAnotherFileIsNotFollowed() throws IOException {
    Path other = Layout.write(layout.dir.resolve("other"), "theirs");
    Path state = Files.createDirectories(layout.homes().get(0).state());
    for (String name : List.of("lock", "journal.new")) {
      Path link = Files.createSymbolicLink(state.resolve(name), other);
      Throwable refused = catchThrowable(() -> install("1.0"));
      assertThat(other).as("%s: %s", name, refused).hasContent("theirs");
      Files.deleteIfExists(link);
    }
  }

  @Test
  void rootDoesNotGoByWhatOthersCanWrite() throws IOException {
    Path state = Files.createDirectories(layout.homes().get(0).state());
    Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxrwxrwx"));
    if (Files.getOwner(state).getName().equals("root")) {
      assertThatThrownBy(() -> install("1.0"))
          .hasMessageContaining(state + " belongs to root, and others than root may write there");
    }
  }

  @Test
  void noFileOfOthersIsNamedByANote() throws IOException {
    Path other = Layout.write(layout.dir.resolve("other.jar"), "theirs");
    Home home = layout.homes().get(0);
    Map<String, String> jars = Map.of(other.getFileName().toString(), Jars.hash(other));
    for (Manifest m :
        List.of(
            manifest(layout.dir, jars, List.of()),
            manifest(Path.of("../.."), jars, List.of()),
            manifest(Path.of("share"), Map.of("../../other.jar", "x"), List.of()),
            manifest(Path.of("share"), Map.of("other", "x"), List.of()),
            manifest(Path.of("share"), jars, List.of("../manifest")))) {
      Files.createDirectories(home.state());
      Files.write(home.manifest(), m.toBytes());
      assertThatThrownBy(() -> Home.installed(Product.HADOOP, layout.hadoop))
          .hasMessageContaining("manifest is damaged");
    }
    Files.delete(home.manifest());
    assertThatThrownBy(() -> deletes(home, other)).hasMessageContaining("files of others");
    Path own = layout.hadoopJars().resolve("other-1.jar");
    deletes(home, own).write(home.journal());
    Files.writeString(
        home.journal(), Files.readString(home.journal()).replace(own.toString(), other.toString()));
    assertThatThrownBy(() -> layout.installer("1.0").recover(layout.homes(), progress::add))
        .hasMessageContaining(home.journal() + " is damaged");
    assertThat(other).exists();
  }

  private static Journal deletes(Home home, Path file) throws IOException {
    Change delete = new Change.Delete(file, Jars.hash(file));
    return Journal.of(
        "salus install", List.of(new Plan(home, "", "", List.of(delete), false, List.of())));
  }

  private static Manifest manifest(Path dir, Map<String, String> jars, List<String> backups) {
    Path conf = Path.of("etc/hadoop");
    return new Manifest("1.0", dir, jars, conf, conf.resolve("hdfs-site.xml"), List.of(), backups);
  }
}
