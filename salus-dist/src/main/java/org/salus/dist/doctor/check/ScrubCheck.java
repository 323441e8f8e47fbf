package org.salus.dist.doctor.check;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import org.salus.client.VolumeInfo;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.need.Role;
import org.salus.host.config.ServerSettings;

/** Replicas that nobody has checked for long. */
final class ScrubCheck extends Check {
  private static final int MOST_INTERVALS = 3;

  private final InstantSource clock;

  ScrubCheck(InstantSource clock) {
    super("scrub", "every server checks its replicas as often as it is set to");
    this.clock = clock;
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    Map<String, VolumeInfo.Scrub> scrubs = new TreeMap<>();
    cluster.volumes().forEach(v -> v.scrubs().forEach(s -> scrubs.put(s.node(), s)));
    for (Daemon d : cluster.daemons()) {
      if (d.role() == Role.REGIONSERVER && d.answers()) {
        ServerSettings settings;
        try {
          settings = ServerSettings.from(d.answer().settings());
        } catch (IllegalArgumentException nonsense) { // it runs with older ones
          findings.warning(d.name() + " has a wrong setting: " + nonsense.getMessage(), "mend it");
          continue;
        }
        if (settings.scrubRate() == 0) {
          findings.warning(
              d.name() + " makes no passes over its replicas, because salus.scrub.rate is 0",
              "set it to 20m, or to what its disks can spare, and restart it");
        } else if (scrubs.containsKey(d.node())) {
          age(scrubs.get(d.node()), settings.scrubInterval(), findings);
        }
      }
    }
  }

  private void age(VolumeInfo.Scrub scrub, Duration interval, Findings findings) {
    Instant last = scrub.ended() != null ? scrub.ended() : scrub.began();
    if (last == null) {
      return; // it has just got its first replicas
    }
    Duration age = Duration.between(last, clock.instant());
    if (age.compareTo(interval.multipliedBy(MOST_INTERVALS)) > 0) {
      findings.warning(
          "the last whole check of the replicas on "
              + scrub.node()
              + (scrub.ended() == null ? " began" : " ended")
              + " "
              + age.toHours()
              + " h ago, and salus.scrub.interval is "
              + interval.toHours()
              + " h",
          scrub.running()
              ? "give it a higher salus.scrub.rate: the pass that runs does not end in time"
              : "see in the log of that server what keeps the scrub from its passes");
    }
  }
}
