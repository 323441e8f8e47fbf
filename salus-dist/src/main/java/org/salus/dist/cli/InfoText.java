package org.salus.dist.cli;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.salus.client.VolumeInfo;

/** Formats a volume's description for people. */
final class InfoText {
  private InfoText() {}

  static String of(VolumeInfo v, String state) {
    StringBuilder s = new StringBuilder();
    line(s, "volume", v.name() + " (" + state + ")" + (v.why().isEmpty() ? "" : ": " + v.why()));
    line(
        s,
        "size",
        Sizes.format(v.shape().size()) + " in blocks of " + Sizes.format(v.shape().blockSize()));
    line(
        s,
        "durability",
        (v.shape().synced()
                ? "synced: acknowledged when on disk on the DataNodes of all members"
                : "replicated: acknowledged when the DataNodes of all members have it")
            + (v.shape().strict() ? ", always three" : ", three as a rule"));
    line(
        s,
        "mounted",
        v.writer() == null ? "no" : "by " + v.writer().holder() + " since " + v.writer().since());
    line(s, "confirmed", confirmed(v.confirmed()));
    for (VolumeInfo.Region r : v.regions()) {
      line(
          s,
          "region " + r.index(),
          r.health()
              + ", "
              + r.state()
              + ", epoch "
              + r.epoch()
              + since(r)
              + (r.note().isEmpty() ? "" : " (" + r.note() + ")"));
      if (!r.replacements().isEmpty()) {
        line(s, "", "epochs replaced: " + counts(r.replacements()));
      }
      if (r.finding() != null) {
        line(
            s,
            "",
            String.format(
                "bad replica on the DataNode of %s at %s: %s: %s",
                r.finding().node(), r.finding().at(), r.finding().path(), r.finding().what()));
      }
      for (VolumeInfo.Member m : r.members()) {
        line(
            s,
            "",
            String.format("%-22s DataNode %-22s %s", m.node(), m.dataNode(), status(m.status())));
        m.waits().forEach(w -> line(s, "", m.node() + ": " + w.words()));
      }
      for (VolumeInfo.Former f : r.former()) {
        f.waits().forEach(w -> line(s, "", f.node() + ", no member now: " + w.words()));
      }
    }
    for (VolumeInfo.Scrub c : v.scrubs()) {
      line(s, "scrub", c.node() + " " + scrub(c));
    }
    return s.toString().stripTrailing();
  }

  private static String confirmed(VolumeInfo.Confirmed c) {
    if (c == null) {
      return "never: no mount has compared its root yet";
    }
    return "whole at the mount of "
        + c.at()
        + (c.wentBackBy() > 0
            ? ", which went back by " + c.wentBackBy() + " changes that a power cut had lost"
            : "");
  }

  private static String since(VolumeInfo.Region r) {
    return r.since() == null ? "" : " since " + r.since();
  }

  private static String counts(Map<String, Integer> replacements) {
    return replacements.entrySet().stream()
        .map(e -> e.getValue() + " " + e.getKey().toLowerCase(Locale.ROOT).replace('_', ' '))
        .collect(Collectors.joining(", "));
  }

  private static String scrub(VolumeInfo.Scrub c) {
    String pass =
        c.running()
            ? String.format(
                "pass %d since %s: %d files, %d MiB, now after %s",
                c.passes() + 1, c.began(), c.passFiles(), c.passBytes() >> 20, c.after())
            : String.format(
                "pass %d from %s to %s: %d files, %d MiB",
                c.passes(), c.began(), c.ended(), c.passFiles(), c.passBytes() >> 20);
    return (c.began() == null ? "no pass yet" : pass)
        + String.format(
            "; ever: %d MiB, %d bad replicas, %d repaired", c.bytes() >> 20, c.bad(), c.repaired());
  }

  private static String status(VolumeInfo.Status s) {
    if (s == null) {
      return "does not answer";
    }
    return String.format(
        "watermark %d, %d segments (%d MiB), %d checkpoints (%d MiB)%s%s",
        s.watermark(),
        s.segments(),
        s.segmentBytes() >> 20,
        s.checkpoints(),
        s.checkpointBytes() >> 20,
        s.builds() == 0 ? "" : ", " + s.builds() + " being built",
        s.serving() ? "" : ", not serving");
  }

  private static void line(StringBuilder s, String what, String value) {
    s.append(String.format("%-12s%s%n", what, value));
  }
}
