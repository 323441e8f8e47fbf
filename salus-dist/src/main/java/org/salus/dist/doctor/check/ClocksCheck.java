package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;

/** Clocks of hosts that differ from most others. */
final class ClocksCheck extends Check {
  private static final double MOST_SECONDS = 2;

  ClocksCheck() {
    super("clocks", "the clocks of all hosts are at most 2 s apart");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    Map<String, Daemon> hosts = new TreeMap<>();
    for (Daemon d : cluster.daemons()) {
      if (d.answers() && Double.isFinite(d.answer().uncertain())) {
        hosts.merge(d.host(), d, (a, b) -> uncertain(a) <= uncertain(b) ? a : b);
      }
    }
    if (hosts.isEmpty()) {
      return; // the check of answers tells
    }
    double most = median(hosts.values());
    hosts.forEach(
        (host, d) -> {
          double off = d.answer().ahead() - most;
          if (Math.abs(off) - uncertain(d) > MOST_SECONDS) {
            findings.warning(
                String.format(
                    Locale.ROOT,
                    "the clock of %s is %.0f s %s those of most hosts",
                    host,
                    Math.abs(off),
                    off > 0 ? "ahead of" : "behind"),
                "have NTP set it; volumes need clocks of about the same rate only, but times in"
                    + " logs and in 'volume info', and Kerberos, need the same time");
          }
        });
  }

  private static double uncertain(Daemon d) {
    return d.answer().uncertain();
  }

  /** The lower one of two in the middle. */
  private static double median(Collection<Daemon> daemons) {
    List<Double> sorted =
        daemons.stream().map(d -> d.answer().ahead()).sorted(Comparator.naturalOrder()).toList();
    return sorted.get((sorted.size() - 1) / 2);
  }
}
