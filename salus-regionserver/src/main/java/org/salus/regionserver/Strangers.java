package org.salus.regionserver;

import java.util.Map;
import org.salus.core.Reason;
import org.salus.host.zk.ServerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs which servers cannot work with this one, whenever that changes. For one thread. */
final class Strangers {
  private static final Logger LOG = LoggerFactory.getLogger(Strangers.class);

  private final ThisServer self;
  private Map<String, Reason> told = Map.of();

  Strangers(ThisServer self) {
    this.self = self;
  }

  /** Takes the servers that are registered now. */
  void look(Map<String, ServerRecord> servers) {
    Map<String, Reason> now = ServerRecord.strangers(servers, self.secret());
    if (!now.equals(told)) {
      told = now;
      now.forEach(
          (node, why) ->
              LOG.error(
                  "{} and {} cannot work together: {} {}", self.node(), node, node, why.words()));
    }
  }
}
