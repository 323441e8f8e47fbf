package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.need.Need;
import org.salus.dist.need.Needs;

/** Settings without which HDFS or HBase may not come back after all hosts have lost power. */
final class PowerCutsCheck extends Check {
  PowerCutsCheck() {
    super("power-cuts", "HDFS and HBase sync what they need after a power cut of all hosts");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    for (Need need : Needs.POWER_CUTS) {
      Map<String, String> wrong = new TreeMap<>();
      for (Daemon d : cluster.daemons()) {
        if (d.role() == need.role()
            && d.answers()
            && !need.isMetBy(d.answer().setting(need.key()))) {
          wrong.put(d.node(), d.name());
        }
      }
      if (!wrong.isEmpty()) {
        findings.warning(
            need.key()
                + " is not "
                + need.value()
                + " at "
                + wrong.values().stream().collect(Collectors.joining(", "))
                + ", so after a power cut of all hosts "
                + need.without(),
            "set it to " + need.value() + " and restart these");
      }
    }
  }
}
