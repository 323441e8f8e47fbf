package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.server.namenode.ha.ReadOnly;
import org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol;
import org.junit.jupiter.api.Test;

class GuardedRpcServerTest {
  /** What a later HDFS might have. */
  interface Later {
    void renewLease(String client);

    void delete(String path, boolean recursive);

    void delete(String path, boolean recursive, boolean atOnce);

    @ReadOnly
    void look(String path);
  }

  interface LaterOfDataNodes {
    void sendHeartbeat();

    void dropBlocks();
  }

  @Test
  void everyMethodThatMayChangeSomethingIsGuardedOrListed() {
    assertThat(GuardedMethods.unknown()).isEmpty();
    assertThat(Arrays.stream(ClientProtocol.class.getMethods()).map(Method::getName))
        .containsAll(GuardedMethods.CLIENTS);
    assertThat(Arrays.stream(DatanodeProtocol.class.getMethods()).map(Method::getName))
        .containsAll(GuardedMethods.DATANODES);
  }

  @Test
  void aMethodOfALaterHdfsIsNotKnown() {
    assertThat(GuardedMethods.unknown(Later.class, LaterOfDataNodes.class))
        .satisfiesExactlyInAnyOrder(
            m -> assertThat(m).endsWith("delete(java.lang.String,boolean,boolean)"),
            m -> assertThat(m).endsWith("dropBlocks()"));
  }
}
