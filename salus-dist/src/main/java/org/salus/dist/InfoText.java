package org.salus.dist;

import org.salus.client.VolumeInfo;

/** A volume's description for people. */
final class InfoText {
  private InfoText() {}

  static String of(VolumeInfo v, String state) {
    StringBuilder s = new StringBuilder();
    line(s, "volume", v.name() + " (" + state + ")");
    line(s, "size", Sizes.format(v.size()) + " in blocks of " + Sizes.format(v.blockSize()));
    line(s, "durability", v.synced() ? "synced: acknowledged when on disk on three DataNodes" : "replicated: acknowledged when three DataNodes have it");
    line(s, "mounted", v.writer() == null ? "no" : "by " + v.writer().holder() + " since " + v.writer().since());
    for (VolumeInfo.Region r : v.regions()) {
      line(s, "region " + r.index(), r.state() + ", epoch " + r.epoch() + (r.note().isEmpty() ? "" : " (" + r.note() + ")"));
      for (VolumeInfo.Member m : r.members()) {
        line(s, "", String.format("%-22s DataNode %-22s %s", m.node(), m.dataNode(), status(m.status())));
      }
    }
    return s.toString().stripTrailing();
  }

  private static String status(VolumeInfo.Status s) {
    if (s == null) {
      return "does not answer";
    }
    return String.format("watermark %d, %d segments (%d MiB), %d checkpoints (%d MiB)%s", s.watermark(), s.segments(), s.segmentBytes() >> 20,
        s.checkpoints(), s.checkpointBytes() >> 20, s.serving() ? "" : ", not serving");
  }

  private static void line(StringBuilder s, String what, String value) {
    s.append(String.format("%-12s%s%n", what, value));
  }
}
