package org.salus.regionserver;

import java.util.Map;
import org.salus.host.zk.ServerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs which servers cannot work with this one, whenever that changes. For one thread. */
final class Strangers {
  private static final Logger LOG = LoggerFactory.getLogger(Strangers.class);

  private final ThisServer self;
  private Map<String, String> told = Map.of();

  Strangers(ThisServer self) {
    this.self = self;
  }

  /** The registered servers are these now. */
  void look(Map<String, ServerRecord> servers) {
    Map<String, String> now = ServerRecord.strangers(servers, self.secret());
    if (!now.equals(told)) {
      told = now;
      now.forEach(
          (node, why) ->
              LOG.error("{} and {} cannot work together: {} {}", self.node(), node, node, why));
    }
  }
}
