package org.salus.dist.doctor.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.datanode.hdfs.SalusNameNode;
import org.salus.dist.doctor.cluster.NameNode.Guard;

/** A NameNode of a pair of two that nobody has made active, with the guard and without. */
@Tag("cluster")
@Timeout(300)
class StandbyGuardTest {
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

  private org.salus.dist.doctor.cluster.NameNode ask(Starter starter) throws Exception {
    Configuration conf = settings();
    NameNode nameNode = starter.start(conf);
    try {
      String address = "127.0.0.1:" + nameNode.getNameNodeAddress().getPort();
      NameNodes one = new NameNodes(Map.of("hbase.rootdir", "hdfs://" + address + "/hbase"), LIMIT);
      return one.ask(one.addresses().get(0));
    } finally {
      nameNode.stop();
      nameNode.join();
    }
  }

  @Test
  void aStandbySaysWhetherItHasAGuard() throws Exception {
    DefaultMetricsSystem.setMiniClusterMode(true);
    NameNode.format(settings());
    org.salus.dist.doctor.cluster.NameNode stock = ask(StandbyGuardTest::stock);
    assertThat(stock.state()).isEqualTo("standby");
    assertThat(stock.guard()).isEqualTo(Guard.ABSENT);
    org.salus.dist.doctor.cluster.NameNode guarded = ask(SalusNameNode::new);
    assertThat(guarded.state()).isEqualTo("standby");
    assertThat(guarded.guard()).isEqualTo(Guard.PRESENT);
  }

  private static NameNode stock(Configuration conf) throws Exception {
    return NameNode.createNameNode(new String[0], conf);
  }
}
