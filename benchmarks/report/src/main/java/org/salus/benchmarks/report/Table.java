package org.salus.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

/** A table that is shown as text or as Markdown. Not thread-safe. */
public final class Table {
  private final List<List<String>> lines = new ArrayList<>();

  public Table(String... head) {
    lines.add(List.of(head));
  }

  /** Adds a line of as many cells as the head has. */
  public void add(String... cells) {
    if (cells.length != lines.get(0).size()) {
      throw new IllegalArgumentException(
          cells.length + " cells for " + lines.get(0).size() + " columns");
    }
    lines.add(List.of(cells));
  }

  public String text() {
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder one = new StringBuilder();
      for (int column = 0; column < line.size(); column++) {
        int at = column;
        int width = lines.stream().mapToInt(l -> l.get(at).length()).max().orElse(1);
        one.append(String.format("%-" + Math.max(1, width) + "s  ", line.get(column)));
      }
      text.append(one.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  public String markdown() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < lines.size(); i++) {
      text.append("| ")
          .append(
              String.join(" | ", lines.get(i).stream().map(c -> c.replace("|", "\\|")).toList()))
          .append(" |\n");
      if (i == 0) {
        text.append("|---".repeat(lines.get(0).size())).append("|\n");
      }
    }
    return text.toString();
  }
}
