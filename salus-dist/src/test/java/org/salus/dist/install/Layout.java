package org.salus.dist.install;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A Hadoop and an HBase as they are unpacked, with small files for jars, and the files of an
 * operator. And a Salus to install.
 */
final class Layout {
  static final Instant NOW = Instant.parse("2026-11-30T01:02:03Z");
  static final Wishes USER = new Wishes(null, "hbase", false);

  static final String HDFS_SITE =
      """
      <?xml version="1.0"?>
      <!-- ours -->
      <configuration>
        <property>
          <name>dfs.namenode.plugins</name>
          <value>com.example.Plugin</value>
        </property>
        <property> <name>dfs.replication</name> <value>3</value> <final>true</final> </property>
      </configuration>
      """;

  static final String HBASE_SITE =
      """
      <configuration>
      \t<property><name>hbase.cluster.distributed</name><value>true</value></property>
      \t<property><name>hbase.rootdir</name><value>hdfs://nn:8020/hbase</value></property>
      \t<property><name>hbase.zookeeper.quorum</name><value>zk1,zk2</value></property>
      \t<property><name>hbase.coprocessor.master.classes</name><value>com.example.A, com.example.B</value></property>
      </configuration>
      """;

  final Path dir;
  final Path hadoop;
  final Path hbase;

  Layout(Path dir) throws IOException {
    this.dir = dir;
    hadoop = dir.resolve("hadoop");
    hbase = dir.resolve("hbase");
    List<String> ofOthers = new ArrayList<>(Product.HADOOP.libraries());
    for (String jar : ofOthers) {
      write(hadoop.resolve("share/hadoop/common/lib/" + jar + "-1.0.jar"), jar);
      write(hbase.resolve("lib/" + jar + "-2.0.jar"), jar);
    }
    write(hadoop.resolve("share/hadoop/common/hadoop-common-3.4.1.jar"), "common");
    write(hadoop.resolve("share/hadoop/hdfs/hadoop-hdfs-3.4.1.jar"), "hdfs");
    write(hadoop.resolve("share/hadoop/hdfs/hadoop-hdfs-3.4.1-tests.jar"), "tests");
    write(hadoop.resolve("share/hadoop/hdfs/lib/other-1.jar"), "other");
    write(hbase.resolve("lib/hbase-server-2.6.4-hadoop3.jar"), "hbase");
    write(hdfsSite(), HDFS_SITE);
    write(hbaseSite(), HBASE_SITE);
  }

  Path hdfsSite() {
    return hadoop.resolve("etc/hadoop/hdfs-site.xml");
  }

  Path hbaseSite() {
    return hbase.resolve("conf/hbase-site.xml");
  }

  Path hadoopJars() {
    return hadoop.resolve("share/hadoop/hdfs/lib");
  }

  List<Home> homes() throws IOException {
    return List.of(Home.find(Product.HADOOP, hadoop, null), Home.find(Product.HBASE, hbase, null));
  }

  /** The same, for who takes Salus out. */
  List<Home> installed() throws IOException {
    return List.of(Home.installed(Product.HADOOP, hadoop), Home.installed(Product.HBASE, hbase));
  }

  /** The jars of a version of Salus. */
  Jars salus(String version) throws IOException {
    Set<String> names = new LinkedHashSet<>(Product.HADOOP.jars());
    names.addAll(Product.HBASE.jars());
    List<Path> jars = new ArrayList<>();
    for (String name : names) {
      jars.add(write(jar(version, name + "-" + version), name + version));
    }
    for (String library : Product.HBASE.libraries()) {
      jars.add(write(jar(version, library + "-3.0"), library));
    }
    return new Jars(jars);
  }

  private Path jar(String version, String name) {
    return dir.resolve("salus-" + version).resolve(name + ".jar");
  }

  Installer installer(String version) throws IOException {
    return installer(version, step -> {});
  }

  Installer installer(String version, Transaction.Step step) throws IOException {
    return new Installer(salus(version), InstantSource.fixed(NOW), step);
  }

  static Path write(Path file, String content) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(file, content);
  }

  /** All files of Hadoop and HBase and what is in them, and all directories. */
  Map<String, String> files() throws IOException {
    return files(hadoop, hbase);
  }

  /** The same in some directories. */
  Map<String, String> files(Path... roots) throws IOException {
    Map<String, String> all = new TreeMap<>();
    for (Path root : roots) {
      try (Stream<Path> files = Files.walk(root)) {
        files.forEach(f -> all.put(dir.relativize(f).toString(), content(f)));
      }
    }
    return all;
  }

  private static String content(Path file) {
    try {
      return Files.isDirectory(file)
          ? "directory"
          : Files.readString(file, StandardCharsets.ISO_8859_1)
              .replaceAll("(?m)^#.*$", ""); // a manifest has the time in a comment
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
