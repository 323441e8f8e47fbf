package org.salus.monitor;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.salus.client.VolumeInfo;
import org.salus.client.Wait;

/**
 * Writes the page of a cluster. It needs nothing beside itself: no scripts, and no resources of
 * other hosts.
 */
public final class ClusterPage {
  private static final String STYLE =
      """
      :root{color-scheme:light dark;--line:#ccc;--soft:#f4f4f4;--good:#1a7f37;--warn:#9a6700;--bad:#cf222e}
      @media(prefers-color-scheme:dark){:root{--line:#444;--soft:#1e1e1e;--good:#3fb950;--warn:#d29922;--bad:#f85149}}
      body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:80rem}
      h1{font-size:1.4rem}h2{font-size:1.15rem;margin-top:2rem}
      .wide{overflow-x:auto}
      table{border-collapse:collapse;width:100%}
      th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid var(--line)}
      th{font-weight:600;background:var(--soft)}
      td{overflow-wrap:break-word;min-width:3rem;max-width:18rem}
      summary{cursor:pointer;padding:.4rem 0;overflow-wrap:anywhere}
      details{border-bottom:1px solid var(--line)}
      .healthy{color:var(--good)}.degraded{color:var(--warn)}.unavailable{color:var(--bad)}
      .state{font-weight:600;white-space:nowrap}.note{background:var(--soft);padding:.6rem;overflow-wrap:anywhere}
      dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dd{margin:0;overflow-wrap:anywhere}
      @media(max-width:40rem){body{padding:.5rem}dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}th,td{padding:.2rem .4rem}}
      """;

  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

  private final ClusterState state;
  private final Html to = new Html();

  private ClusterPage(ClusterState state) {
    this.state = state;
  }

  /** Writes the whole page. */
  public static String of(ClusterState state) {
    ClusterPage page = new ClusterPage(state);
    page.write();
    return page.to.toString();
  }

  private void write() {
    to.raw("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
        .raw("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
        .raw("<title>Salus: ")
        .text(state.server())
        .raw("</title><style>")
        .raw(STYLE)
        .raw("</style></head>\n<body><h1>Salus</h1>\n<p>")
        .text(state.role() + " " + state.server() + ", at " + state.at())
        .raw(". <a href=\"/salus/json\">JSON</a>, <a href=\"/salus/metrics\">metrics</a>, ")
        .raw("<a href=\"/\">HBase</a></p>\n");
    if (!state.problem().isEmpty()) {
      to.raw("<p class=\"note unavailable\" role=\"alert\">The volumes are not known: ")
          .text(state.problem())
          .raw("</p>\n");
    } else if (state.volumes().isEmpty()) {
      to.raw("<p class=\"note\">There are no volumes here.</p>\n");
    } else {
      volumes();
      state.volumes().forEach(this::details);
      scrubs();
      events();
    }
    to.raw("</body></html>\n");
  }

  private void volumes() {
    to.raw("<h2>Volumes</h2>\n<p>")
        .text(
            state.volumes().size()
                + " in all: "
                + state.count("healthy")
                + " healthy, "
                + state.count("degraded")
                + " degraded, "
                + state.count("unavailable")
                + " unavailable")
        .raw("</p>\n<div class=\"wide\"><table>")
        .head("Volume", "Health", "Why", "Size", "Block", "Mode", "Regions", "Mounted by", "Waits")
        .raw("<tbody>\n");
    for (VolumeInfo v : state.volumes()) {
      to.raw("<tr>").cell(v.name());
      to.raw("<td>");
      health(v.health());
      to.raw("</td>")
          .cell(v.why())
          .cell(v.shape() == null ? "" : bytes(v.shape().size()))
          .cell(v.shape() == null ? "" : bytes(v.shape().blockSize()))
          .cell(mode(v))
          .cell(v.regions().size())
          .cell(v.writer() == null ? "" : v.writer().holder())
          .cell(v.waits().words())
          .raw("</tr>\n");
    }
    to.raw("</tbody></table></div>\n");
  }

  /** The class is one of three words of the code, whatever the state says. */
  private void health(String health) {
    String known = health.equals("healthy") || health.equals("degraded") ? health : "unavailable";
    to.raw("<span class=\"state " + known + "\">").text(health).raw("</span>");
  }

  private static String mode(VolumeInfo v) {
    if (v.shape() == null) {
      return "";
    }
    return (v.shape().synced() ? "synced" : "replicated") + (v.shape().strict() ? ", strict" : "");
  }

  private void details(VolumeInfo v) {
    to.raw(v.health().equals("healthy") ? "<details>" : "<details open>").raw("<summary>");
    to.text(v.name() + ": ");
    health(v.health());
    to.text(v.deleting() ? ", being deleted" : "").raw("</summary>\n<dl>");
    if (!v.why().isEmpty()) {
      pair("why", v.why());
    }
    pair("id", v.id());
    if (v.writer() != null) {
      pair(
          "mounted",
          "by "
              + v.writer().holder()
              + " since "
              + v.writer().since()
              + ", mount "
              + v.writer().mountEpoch());
    }
    if (v.confirmed() != null) {
      pair(
          "found whole",
          v.confirmed().at() + ", went back by " + v.confirmed().wentBackBy() + " changes");
    }
    v.losses()
        .forEach(
            l ->
                pair(
                    "lost",
                    l.id()
                        + ": "
                        + (l.acked() - l.prefix())
                        + " acknowledged changes, found at "
                        + l.at()
                        + " by "
                        + l.holder()));
    to.raw("</dl>\n<div class=\"wide\"><table>")
        .head(
            "Region",
            "Health",
            "State",
            "Epoch",
            "Member",
            "DataNode",
            "Watermark",
            "Log",
            "Checkpoints",
            "Waits",
            "Replaced epochs")
        .raw("<tbody>\n");
    v.regions().forEach(this::region);
    to.raw("</tbody></table></div></details>\n");
  }

  private void pair(String name, String value) {
    to.raw("<dt>").text(name).raw("</dt><dd>").text(value).raw("</dd>");
  }

  private void region(VolumeInfo.Region r) {
    int rows = Math.max(1, r.members().size());
    String span = "<td rowspan=\"" + rows + "\">";
    to.raw("<tr>").raw(span).text(r.index()).raw("</td>").raw(span);
    health(r.health());
    to.text(r.why().isEmpty() ? "" : ": " + r.why()).raw("</td>").raw(span);
    to.text(r.state() + (r.note().isEmpty() ? "" : ": " + r.note())).raw("</td>").raw(span);
    to.text(r.epoch() + (r.since() == null ? "" : " since " + r.since())).raw("</td>");
    if (r.members().isEmpty()) {
      to.raw("<td colspan=\"6\">none</td>");
    }
    for (int i = 0; i < r.members().size(); i++) {
      to.raw(i > 0 ? "</tr>\n<tr>" : "");
      member(r.members().get(i));
      if (i == 0) {
        replacements(span, r);
      }
    }
    if (r.members().isEmpty()) {
      replacements(span, r);
    }
    to.raw("</tr>\n");
    r.former().forEach(f -> below(f.node() + ", no member now: " + Wait.words(f.waits())));
    if (r.finding() != null) {
      below(
          "bad replica on the DataNode of "
              + r.finding().node()
              + " at "
              + r.finding().at()
              + ": "
              + r.finding().path()
              + ": "
              + r.finding().what());
    }
  }

  /** Writes a line below a region. */
  private void below(String text) {
    to.raw("<tr><td></td><td colspan=\"10\">").text(text).raw("</td></tr>\n");
  }

  private void replacements(String span, VolumeInfo.Region r) {
    to.raw(span).text(counts(r.replacements())).raw("</td>");
  }

  private void member(VolumeInfo.Member m) {
    to.cell(m.node()).cell(m.dataNode());
    if (m.status() == null) {
      to.raw("<td colspan=\"3\" class=\"unavailable\">does not answer</td>");
    } else {
      status(m.status());
    }
    to.cell(Wait.words(m.waits()));
  }

  private void status(VolumeInfo.Status s) {
    to.cell(s.watermark() + (s.serving() ? "" : ", not serving"))
        .cell(s.segments() + " segments, " + bytes(s.segmentBytes()))
        .cell(
            s.checkpoints()
                + ", "
                + bytes(s.checkpointBytes())
                + (s.builds() == 0 ? "" : ", " + s.builds() + " being built"));
  }

  private static String counts(Map<String, Integer> replacements) {
    return replacements.entrySet().stream()
        .map(e -> e.getValue() + " " + e.getKey().toLowerCase(Locale.ROOT).replace('_', ' '))
        .collect(Collectors.joining(", "));
  }

  private void scrubs() {
    to.raw("<h2>Scrub</h2>\n<div class=\"wide\"><table>")
        .head("Server", "Pass", "Began", "Ended", "Files", "Read", "Ever read", "Bad", "Repaired")
        .raw("<tbody>\n");
    for (VolumeInfo.Scrub s : state.scrubs()) {
      to.raw("<tr>")
          .cell(s.node())
          .cell(s.running() ? s.passes() + 1 + ", under way" : s.passes())
          .cell(s.began() == null ? "" : s.began())
          .cell(s.ended() == null ? "" : s.ended())
          .cell(s.passFiles())
          .cell(bytes(s.passBytes()))
          .cell(bytes(s.bytes()))
          .cell(s.bad())
          .cell(s.repaired())
          .raw("</tr>\n");
    }
    to.raw("</tbody></table></div>\n");
  }

  private void events() {
    to.raw("<h2>Recent changes of members</h2>\n<div class=\"wide\"><table>")
        .head("At", "Volume", "Region", "Epoch", "State", "Why")
        .raw("<tbody>\n");
    for (ClusterState.Event e : state.events()) {
      to.raw("<tr>")
          .cell(e.at())
          .cell(e.volume())
          .cell(e.region())
          .cell(e.epoch())
          .cell(e.state())
          .cell(e.note())
          .raw("</tr>\n");
    }
    to.raw("</tbody></table></div>\n");
  }

  /** A number of bytes for people, with at most one digit after the point. */
  static String bytes(long bytes) {
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    String number = String.format(Locale.ROOT, "%.1f", value);
    return (number.endsWith(".0") ? number.substring(0, number.length() - 2) : number)
        + " "
        + UNITS[unit];
  }
}
