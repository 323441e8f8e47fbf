package org.salus.host.config;

import java.util.List;

/** Generates {@code docs/configuration.md}, the reference page of all settings. */
public final class ConfigDoc {
  private ConfigDoc() {}

  /** The whole page, as Markdown. */
  public static String markdown() {
    StringBuilder page =
        new StringBuilder("# Configuration\n\nGenerated from the code; do not edit.\n");
    Settings.GROUPS.forEach((title, settings) -> group(page, title, settings));
    return page.toString();
  }

  private static void group(StringBuilder page, String title, List<Setting<?>> settings) {
    page.append("\n## ")
        .append(title)
        .append("\n\n| key | default | type | allowed | meaning |\n|---|---|---|---|---|\n");
    for (Setting<?> s : settings) {
      String fallback = s.fallback().isEmpty() ? "(empty)" : "`" + s.fallback() + "`";
      page.append("| `")
          .append(s.key())
          .append("` | ")
          .append(fallback)
          .append(" | ")
          .append(s.type())
          .append(" | ")
          .append(s.range())
          .append(" | ")
          .append(s.doc())
          .append(" |\n");
    }
  }
}
