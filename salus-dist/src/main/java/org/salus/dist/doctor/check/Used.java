package org.salus.dist.doctor.check;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.salus.dist.doctor.cluster.HdfsState.DataNode;
import org.salus.dist.doctor.cluster.SalusServer;

/** The DataNodes that volumes use. */
final class Used {
  private Used() {}

  /** Those that are live, in service, and beside a region server. */
  static List<DataNode> of(Collection<DataNode> all, Collection<SalusServer> servers) {
    Set<String> beside = servers.stream().map(SalusServer::dataNode).collect(Collectors.toSet());
    return all.stream()
        .filter(n -> n.live() && n.inService() && beside.contains(n.transfer()))
        .toList();
  }
}
