package org.salus.dist;

import java.util.stream.Collectors;
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
      line(s, "", "members " + r.members().stream().map(VolumeInfo.Member::node).collect(Collectors.joining(" -> ")));
    }
    return s.toString().stripTrailing();
  }

  private static void line(StringBuilder s, String what, String value) {
    s.append(String.format("%-12s%s%n", what, value));
  }
}
