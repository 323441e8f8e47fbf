package org.salus.core.replacement;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.salus.core.Reason;
import org.salus.core.replacement.RrsRecord.Member;

/** What the keeper of a region ({@link RegionKeeper}) sees of the cluster. */
public interface ClusterView {
  /**
   * What the NameNode knows of the region's epochs. It is no older than the record that is looked
   * at. Null while that is unknown: nobody builds an epoch on a guess.
   */
  EpochRegister register();

  /** The servers that answer, by node, as the members that they could be. */
  Map<String, Member> running();

  /** The servers that should have the region's members, best first. */
  List<String> placement();

  /**
   * The DataNodes, as {@code ip:port}, that are in service and have ample room for new replicas,
   * best first and much the same at each look. They need not be beside region servers.
   */
  List<String> dataNodes();

  /**
   * The DataNodes, as {@code ip:port}, beside servers that operators drain, whether these run or
   * have stopped.
   */
  Set<String> drainedDataNodes();

  /** Whether the DataNode of a server as a member is alive. It need not be beside the server. */
  boolean hasDataNode(Member server);

  /** Why HDFS does not do what volumes need, as far as it is known; else empty. */
  Optional<Reason> trouble();

  /** Whether the volume has a user, or that is not known. */
  boolean hasUser();

  /** What HDFS says of the DataNode of a server as a member, as far as it is known. */
  DataNodeState dataNode(Member server);

  /**
   * Whether an absent server has had enough time to start.
   *
   * @param restarted whether no process of the region's epoch is left, so that registrations may be
   *     from before a restart
   */
  boolean isPatienceOver(String node, boolean restarted);

  /** The time in nanoseconds, on a clock that only goes on. */
  long nanos();

  /** The time in milliseconds since 1970. */
  long millis();
}
