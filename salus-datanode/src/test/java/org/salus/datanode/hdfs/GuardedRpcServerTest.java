package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.server.namenode.ha.ReadOnly;
import org.junit.jupiter.api.Test;

class GuardedRpcServerTest {
  /**
   * Not about a path: leases by name, tokens, caching, the NameNode's own state, and cluster-wide
   * policies.
   */
  static final Set<String> UNGUARDED =
      Set.of(
          "renewLease",
          "getDelegationToken",
          "renewDelegationToken",
          "cancelDelegationToken",
          "addCacheDirective",
          "modifyCacheDirective",
          "removeCacheDirective",
          "addCachePool",
          "modifyCachePool",
          "removeCachePool",
          "setSafeMode",
          "saveNamespace",
          "rollEdits",
          "restoreFailedStorage",
          "refreshNodes",
          "finalizeUpgrade",
          "upgradeStatus",
          "rollingUpgrade",
          "metaSave",
          "setBalancerBandwidth",
          "addErasureCodingPolicies",
          "removeErasureCodingPolicy",
          "enableErasureCodingPolicy",
          "disableErasureCodingPolicy");

  @Test
  void everyClientProtocolMethodThatMayChangeSomethingIsGuardedOrListed() {
    List<String> missing = new ArrayList<>();
    for (Method method : ClientProtocol.class.getMethods()) {
      if (!method.isAnnotationPresent(ReadOnly.class)
          && !UNGUARDED.contains(method.getName())
          && !overridden(method)) {
        missing.add(method.toString());
      }
    }
    assertThat(missing).isEmpty();
    assertThat(Arrays.stream(ClientProtocol.class.getMethods()).map(Method::getName))
        .containsAll(UNGUARDED);
  }

  private static boolean overridden(Method method) {
    try {
      return GuardedRpcServer.class.getDeclaredMethod(method.getName(), method.getParameterTypes())
          != null;
    } catch (NoSuchMethodException e) {
      return false;
    }
  }
}
