package org.salus.dist.doctor.check;

import java.io.IOException;
import org.salus.client.VolumeInfo;
import org.salus.dist.doctor.cluster.Cluster;

/** Volumes that are not healthy, in the words of {@code salus volume info}. */
final class VolumesCheck extends Check {
  private static final String HEALTHY = "healthy";

  VolumesCheck() {
    super("volumes", "every volume is healthy, and nothing of it is lost or damaged");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    for (VolumeInfo v : cluster.volumes()) {
      if (!v.health().equals(HEALTHY) && !v.deleting()) {
        findings.problem(
            "volume " + v.name() + " is " + v.health() + (v.why().isEmpty() ? "" : ": " + v.why()),
            v.losses().isEmpty()
                ? "'salus volume info " + v.name() + "' says which regions and members"
                : ""); // the reason says what to do
      }
      for (VolumeInfo.Region r : v.regions()) {
        if (r.finding() != null && !r.finding().repaired()) {
          findings.problem(
              "a replica of volume "
                  + v.name()
                  + " on the DataNode of "
                  + r.finding().node()
                  + " is bad: "
                  + r.finding().path()
                  + ": "
                  + r.finding().what(),
              "look at that disk; if no replica is good, see docs/operating.md, 'Files are missing or"
                  + " damaged everywhere'");
        }
      }
    }
  }
}
