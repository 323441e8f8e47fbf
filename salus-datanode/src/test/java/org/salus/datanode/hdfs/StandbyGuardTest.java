package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.ipc.StandbyException;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls a NameNode that is not the active one. */
@Tag("cluster")
class StandbyGuardTest {
  @TempDir Path dir;
  private NameNode standby;

  @BeforeEach
  void start() throws IOException {
    DefaultMetricsSystem.setMiniClusterMode(true);
    NameNode.format(settings());
    standby = new SalusNameNode(settings());
  }

  private Configuration settings() {
    Configuration conf = new Configuration();
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

  @AfterEach
  void stop() {
    standby.stop();
    standby.join();
  }

  private static void goesOn(ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(StandbyException.class);
  }

  /** A client takes the answer of a standby for no answer, and asks the active one. */
  @Test
  void aStandbyRefusesAndCountsNothing() {
    long before = GuardMetrics.refusals();
    goesOn(() -> standby.getRpcServer().setStoragePolicy("/", "COLD"));
    goesOn(() -> standby.getRpcServer().setQuota("/", 5, HdfsConstants.QUOTA_DONT_SET, null));
    goesOn(() -> standby.getRpcServer().delete("/", true));
    goesOn(() -> standby.getRpcServer().setReplication("/salus/disk/0000/log-1", (short) 1));
    assertThat(GuardMetrics.refusals()).isEqualTo(before);
  }
}
