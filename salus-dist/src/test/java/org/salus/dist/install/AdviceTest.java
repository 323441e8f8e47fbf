package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.data.SettingsFile;

class AdviceTest {
  @TempDir(factory = InMemory.class)
  Path temp;

  private final List<String> progress = new ArrayList<>();
  private Layout layout;

  @BeforeEach
  void layOut() throws IOException {
    layout = new Layout(temp.toRealPath());
  }

  private List<String> advice() throws IOException {
    return layout.installer("1.0").install(layout.homes(), Layout.USER, progress::add).stream()
        .flatMap(p -> p.notes().stream())
        .toList();
  }

  @Test
  void whatCountsForOthersIsToldOnceOnly() throws IOException {
    assertThat(advice())
        .anyMatch(a -> a.startsWith("dfs.namenode.lease-hard-limit-sec = 315360000 counts for all"))
        .anyMatch(a -> a.startsWith("dfs.datanode.synconclose = true counts for all of HDFS"))
        .anyMatch(a -> a.startsWith("dfs.block.replicator.classname") && a.contains("balancer"))
        .anyMatch(
            a -> a.startsWith("hadoop.prometheus.endpoint.enabled = true") && a.contains("/prom"))
        .anyMatch(a -> a.startsWith("hbase.use.dynamic.jars = false counts for all of HBase"))
        .anyMatch(a -> a.startsWith("hbase.http.filter.initializers") && a.contains("Thrift"))
        .anyMatch(a -> a.startsWith("hbase.master.loadbalancer.class"));
    Files.delete(layout.hadoopJars().resolve("salus-host-1.0.jar"));
    assertThat(advice()).noneMatch(a -> a.contains("counts for all"));
  }

  /** A directory that a client may not enter is for it as if it were not there. */
  @Test
  void theSecretIsInAFileOfItsOwnThatClientsNeedNotRead() throws IOException {
    assertThat(advice())
        .filteredOn(a -> a.contains("has no salus.secret"))
        .hasSize(2)
        .allMatch(a -> a.contains(Advice.INCLUDE) && a.contains("salus/secret.xml"));
    Path site = layout.hdfsSite();
    String end = "</configuration>";
    Files.writeString(site, Files.readString(site).replace(end, Advice.INCLUDE + end));
    assertThat(read(site).get("dfs.replication")).isEqualTo("3");
    assertThat(read(site).get("salus.secret")).isNull();
    assertThat(SettingsFile.read(site))
        .containsEntry("dfs.replication", "3")
        .doesNotContainKey("salus.secret");
    Layout.write(
        site.resolveSibling("salus/secret.xml"),
        "<configuration><property><name>salus.secret</name><value>HUSH</value></property>" + end);
    assertThat(read(site).get("salus.secret")).isEqualTo("HUSH");
    assertThat(SettingsFile.read(site)).containsEntry("salus.secret", "HUSH");
  }

  private static Configuration read(Path site) {
    Configuration conf = new Configuration(false);
    conf.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
    return conf;
  }
}
