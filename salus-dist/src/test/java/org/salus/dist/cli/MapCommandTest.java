package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.dist.map.BridgeAddress;
import org.salus.dist.map.LocalPrograms;
import org.salus.dist.map.MapRequest;
import org.salus.dist.map.Programs;
import org.salus.dist.map.Saltab;
import picocli.CommandLine;

/** What the commands for devices take and refuse. Nothing is attached. */
class MapCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path temp;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "map",
        "map a/b",
        "map disk1 --all",
        "map disk1 --device sda",
        "map disk1 --timeout 19",
        "map disk1 --again",
        "map disk1 --bridge here",
        "map disk1 --bridge h:1 --zookeeper h:1",
        "map disk1 --bridge h:1 --force",
        "unmap",
        "unmap disk1 --all",
        "showmapped disk1"
      })
  void wrongUsageIsCodeTwo(String arguments) {
    assertThat(run(arguments.split(" "))).isEqualTo(Salus.USAGE);
    assertThat(err.toString().lines()).singleElement().asString().contains("--help");
  }

  @Test
  void aLineOfTheTableIsReadAsACommandLine() {
    MapRequest r =
        MapCommand.request(
            List.of("disk1", "--device", "/dev/nbd7", "--timeout", "20", "--zookeeper", "zk:1"));
    assertThat(r)
        .isEqualTo(
            new MapRequest(
                "disk1", "nbd7", false, 20, null, List.of("--zookeeper", "zk:1"), false));
    r = MapCommand.request(List.of("disk1", "--read-only", "--bridge", "unix:/run/x"));
    assertThat(r.bridge()).isEqualTo(BridgeAddress.unix(Path.of("/run/x")));
    assertThat(r.readOnly()).isTrue();
    assertThat(MapCommand.request(List.of("disk1", "--bridge", "h:1")).bridge())
        .isEqualTo(BridgeAddress.tcp("h", 1));
    r = MapCommand.request(List.of("disk1", "--conf", "/c.xml", "-D", "c=d", "-D", "a=b"));
    assertThat(r.arguments()).containsExactly("--conf", "/c.xml", "-D", "a=b", "-D", "c=d");
    assertThat(MapCommand.request(List.of("disk1", "--data", "/d")).arguments())
        .containsExactly("--data", "/d");
  }

  @ParameterizedTest
  @CsvSource({
    "disk1 --nonsense, --nonsense",
    "disk1 --timeout x, --timeout",
    "--read-only, name a volume",
    "disk1 --all, cannot stand in a table",
    "disk1 --saltab x, cannot stand in a table",
    "disk1 --help, cannot stand in a table",
    "disk1 --again, cannot stand in a table",
    "disk1 --force --data /d, cannot stand in a table",
    "disk1 --bridge unix:x, from / on",
    "disk1 --bridge=unix:x, from / on",
    "disk0 --device nbd1 --data /d, disk0 stands in",
    "disk1 --device nbd0 --data /d, /dev/nbd0 stands in",
    "a/b, volume name",
    "disk1 --conf c.xml, from /",
    "disk1 --data d, from /",
    "disk1 -D a=b, say which cluster",
    "@TEMP/words, volume name",
    "disk1 a\"b, double quotes"
  })
  void aWrongLineIsNamedAndStopsNoOther(String line, String why) throws Exception {
    Files.writeString(temp.resolve("words"), "disk1 --data /d");
    Path table =
        Files.writeString(
            temp.resolve("saltab"),
            "# one\ndisk0 --device nbd0 --bridge unix:/no\n"
                + line.replace("TEMP", temp.toString())
                + "\n");
    assertThat(run("map", "--all", "--saltab", table + "", "--run-dir", temp.resolve("r") + ""))
        .isEqualTo(Salus.FAILED);
    assertThat(err.toString().lines())
        .satisfiesExactly(
            l -> assertThat(l).startsWith("salus: " + table + ":2: ").contains("no bridge serves"),
            l -> assertThat(l).startsWith("salus: " + table + ":3: ").contains(why));
  }

  @Test
  void theSamplesInConfAreRight() throws Exception {
    Path conf = Path.of(System.getProperty("basedir", ".")).resolveSibling("conf").toAbsolutePath();
    assertThat(Saltab.read(conf.resolve("saltab"))).isEmpty();
    Path table = temp.resolve("saltab");
    Files.writeString(
        table, Files.readString(conf.resolve("saltab")).replaceAll("(?m)^# (disk\\d)", "$1"));
    assertThat(Saltab.read(table)).hasSize(2);
    for (Saltab.Line line : Saltab.read(table)) {
      assertThat(MapCommand.request(line.words())).isNotNull();
    }
    List<String> verify = new ArrayList<>(List.of("systemd-analyze", "verify"));
    try (Stream<Path> units = Files.list(conf.resolve("systemd"))) {
      for (Path unit :
          units.filter(u -> u.getFileName().toString().startsWith("salus-map")).toList()) {
        Path copy = temp.resolve(unit.getFileName());
        Files.writeString(
            copy, Files.readString(unit).replace("/opt/salus/bin/salus", "/bin/true"));
        verify.add(copy.toString());
      }
    }
    assertThat(verify).hasSize(5);
    assertThat(new LocalPrograms().run(verify)).isEqualTo(new Programs.Answer(0, ""));
    assertThat(Files.readString(conf.resolve("systemd/salus-map.service")))
        .contains("/opt/salus/bin/salus map --all", "/opt/salus/bin/salus unmap --all --umount");
  }

  /** On a machine that can attach nothing, or where nothing is mapped. */
  @Test
  void eachLineThatFailsIsNamed() throws Exception {
    Path table =
        Files.writeString(
            temp.resolve("saltab"), "disk1 --bridge unix:/no\n\ndisk2 --bridge unix:/no\n");
    String[] all = {
      "--all", "--saltab", table.toString(), "--run-dir", temp.resolve("r").toString()
    };
    assertThat(run("map", all)).isEqualTo(Salus.FAILED);
    assertThat(err.toString().lines().toList())
        .hasSize(2)
        .allMatch(l -> l.contains("no bridge serves disk") && l.contains(" at unix:/no"))
        .satisfiesExactly(
            l -> assertThat(l).startsWith("salus: " + table + ":1: "),
            l -> assertThat(l).startsWith("salus: " + table + ":3: "));
    assertThat(run("unmap", "--all", "--run-dir", temp.resolve("r").toString())).isZero();
  }

  @Test
  void whatWasUnmappedIsLeftOutWithAWord() throws Exception {
    Path table =
        Files.writeString(
            temp.resolve("saltab"), "disk1 --bridge unix:/no\ndisk2 --bridge unix:/no\n");
    Path dir = Files.createDirectory(temp.resolve("r"));
    Files.createFile(dir.resolve("disk1.unmapped"));
    Files.createFile(dir.resolve("disk2.unmapped"));
    String[] all = {"--all", "--again", "--saltab", table + "", "--run-dir", dir + ""};
    assertThat(run("map", all)).isZero();
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .contains("left out", "disk1, disk2", "'salus map' without --again");
    err.getBuffer().setLength(0);
    assertThat(run("map", "--all", "--saltab", table + "", "--run-dir", dir + ""))
        .isEqualTo(Salus.FAILED);
    assertThat(dir.resolve("disk1.unmapped")).as("somebody wants it mapped").doesNotExist();
  }

  @Test
  void aTableThatCannotBeReadStopsNobodyWhoNamesADevice() throws Exception {
    Path table = Files.createDirectory(temp.resolve("saltab"));
    String[] one = {"disk1", "--bridge", "unix:/no", "--saltab", table + "", "--run-dir"};
    assertThat(run("map", join(one, temp.resolve("r") + ""))).isEqualTo(Salus.FAILED);
    assertThat(err.toString()).contains("cannot read " + table, "choose one by --device");
    err.getBuffer().setLength(0);
    assertThat(run("map", join(one, temp.resolve("r") + "", "--device", "nbd0")))
        .isEqualTo(Salus.FAILED);
    assertThat(err.toString()).contains("no bridge serves disk1");
  }

  private static String[] join(String[] first, String... more) {
    return Stream.of(first, more).flatMap(Stream::of).toArray(String[]::new);
  }

  @Test
  void nothingMappedIsAnEmptyTable() {
    String dir = temp.resolve("none").toString();
    assertThat(run("showmapped", "--run-dir", dir)).isZero();
    assertThat(out.toString().lines()).singleElement().asString().startsWith("VOLUME");
    out.getBuffer().setLength(0);
    assertThat(run("showmapped", "--json", "--run-dir", dir)).isZero();
    assertThat(out.toString().strip()).isEqualTo("[ ]");
  }

  @Test
  void helpSaysWhichKernelAndPackageItNeeds() {
    assertThat(run("map", "--help")).isZero();
    assertThat(out.toString().replaceAll("\\s+", " "))
        .contains("CONFIG_BLK_DEV_NBD", "linux-image-amd64", "modprobe nbd", "qemu-utils");
  }

  private int run(String command, String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = command;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return run(all);
  }

  private int run(String[] arguments) {
    CommandLine line = Salus.commandLine();
    line.setOut(new PrintWriter(out, true));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }
}
