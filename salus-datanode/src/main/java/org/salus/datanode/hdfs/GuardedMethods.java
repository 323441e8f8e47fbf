package org.salus.datanode.hdfs;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.server.namenode.ha.ReadOnly;
import org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol;

/**
 * What Salus knows of the NameNode's methods. The HDFS that runs the guard may be another one than
 * it was built with.
 */
final class GuardedMethods {
  /**
   * Of clients, not about a path: leases by name, tokens, caching, the NameNode's own state, and
   * cluster-wide policies.
   */
  static final Set<String> CLIENTS =
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

  /** Of DataNodes, which change no file, or only as the reports of the DataNode's own replicas. */
  static final Set<String> DATANODES =
      Set.of(
          "registerDatanode",
          "sendHeartbeat",
          "blockReport",
          "cacheReport",
          "errorReport",
          "versionRequest");

  private GuardedMethods() {}

  /** The methods that may change something, are not guarded and not known. */
  static List<String> unknown() {
    return unknown(ClientProtocol.class, DatanodeProtocol.class);
  }

  static List<String> unknown(Class<?> clients, Class<?> dataNodes) {
    return Stream.concat(
            Arrays.stream(clients.getMethods())
                .filter(m -> !m.isAnnotationPresent(ReadOnly.class))
                .filter(m -> !CLIENTS.contains(m.getName())),
            Arrays.stream(dataNodes.getMethods()).filter(m -> !DATANODES.contains(m.getName())))
        .filter(m -> !isGuarded(m))
        .map(Method::toString)
        .toList();
  }

  private static boolean isGuarded(Method method) {
    return Arrays.stream(GuardedRpcServer.class.getDeclaredMethods())
        .anyMatch(
            m ->
                m.getName().equals(method.getName())
                    && Arrays.equals(m.getParameterTypes(), method.getParameterTypes()));
  }
}
