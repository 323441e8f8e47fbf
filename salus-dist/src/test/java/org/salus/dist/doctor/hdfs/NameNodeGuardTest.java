package org.salus.dist.doctor.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.datanode.hdfs.SalusNameNode;
import org.salus.dist.doctor.cluster.NameNode.Guard;

/** NameNodes in this process, with the guard and without. */
@Tag("cluster")
@Timeout(300)
class NameNodeGuardTest {
  private static final int LIMIT = 20_000;

  @TempDir Path dir;

  /** Starts a NameNode. */
  private interface Starter {
    NameNode start(Configuration conf) throws Exception;
  }

  private Configuration settings() {
    Configuration conf = new HdfsConfiguration();
    conf.set("fs.defaultFS", "hdfs://ns");
    conf.set("dfs.nameservices", "ns");
    conf.set("dfs.ha.namenodes.ns", "a,b");
    conf.set("dfs.ha.namenode.id", "a");
    conf.set("dfs.namenode.rpc-address.ns.a", "127.0.0.1:0");
    conf.set("dfs.namenode.rpc-address.ns.b", "127.0.0.1:1");
    conf.set("dfs.namenode.http-address.ns.a", "127.0.0.1:0");
    conf.set("dfs.namenode.http-address.ns.b", "127.0.0.1:1");
    conf.set("dfs.namenode.name.dir", dir.resolve("names").toUri().toString());
    conf.set("dfs.namenode.shared.edits.dir", dir.resolve("edits").toUri().toString());
    return conf;
  }

  private static org.salus.dist.doctor.cluster.NameNode ask(Configuration conf, Starter starter)
      throws Exception {
    NameNode nameNode = starter.start(conf);
    try {
      return ask(nameNode);
    } finally {
      nameNode.stop();
      nameNode.join();
    }
  }

  private static org.salus.dist.doctor.cluster.NameNode ask(NameNode nameNode) throws Exception {
    String root = "hdfs://127.0.0.1:" + nameNode.getNameNodeAddress().getPort() + "/hbase";
    NameNodes one = new NameNodes(Map.of("hbase.rootdir", root), LIMIT);
    return one.ask(one.addresses().get(0));
  }

  @Test
  void aStandbySaysWhetherItHasAGuard() throws Exception {
    DefaultMetricsSystem.setMiniClusterMode(true);
    NameNode.format(settings());
    org.salus.dist.doctor.cluster.NameNode stock = ask(settings(), NameNodeGuardTest::stock);
    assertThat(stock.state()).isEqualTo("standby");
    assertThat(stock.guard()).isEqualTo(Guard.ABSENT);
    org.salus.dist.doctor.cluster.NameNode guarded = ask(settings(), SalusNameNode::new);
    assertThat(guarded.state()).isEqualTo("standby");
    assertThat(guarded.guard()).isEqualTo(Guard.PRESENT);
  }

  @Test
  void anActiveOneWithoutGuardIsSeenWithWhoMayLookIntoVolumes() throws Exception {
    DefaultMetricsSystem.setMiniClusterMode(true);
    Configuration conf = new HdfsConfiguration();
    conf.set("fs.defaultFS", "hdfs://127.0.0.1:0");
    conf.set("dfs.namenode.http-address", "127.0.0.1:0");
    conf.set("dfs.namenode.name.dir", dir.resolve("names").toUri().toString());
    NameNode.format(conf);
    NameNode nameNode = stock(conf);
    try (FileSystem files =
        FileSystem.newInstance(
            URI.create("hdfs://127.0.0.1:" + nameNode.getNameNodeAddress().getPort()), conf)) {
      assertThat(ask(nameNode).volumes()).isNull();
      org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path("/salus");
      files.mkdirs(root);
      files.setPermission(root, new FsPermission((short) 0750));
      org.salus.dist.doctor.cluster.NameNode seen = ask(nameNode);
      assertThat(seen.state()).isEqualTo("active");
      assertThat(seen.guard()).isEqualTo(Guard.ABSENT);
      assertThat(seen.volumes().mode()).isEqualTo("0750");
      assertThat(seen.volumes().owner()).isEqualTo(files.getFileStatus(root).getOwner());
    } finally {
      nameNode.stop();
      nameNode.join();
    }
  }

  private static NameNode stock(Configuration conf) throws Exception {
    return NameNode.createNameNode(new String[0], conf);
  }
}
