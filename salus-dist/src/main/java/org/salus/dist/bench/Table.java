package org.salus.dist.bench;

import java.util.Arrays;
import java.util.List;

/** Lines of cells, the columns one below the other. */
final class Table {
  private Table() {}

  /** @param lines the heading first; all have as many cells as the first */
  static String align(List<List<String>> lines) {
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder one = new StringBuilder();
      for (int column = 0; column < line.size(); column++) {
        int at = column;
        int width = lines.stream().mapToInt(l -> l.get(at).length()).max().orElse(1);
        one.append(String.format("%-" + width + "s  ", line.get(column)));
      }
      text.append(one.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString().stripTrailing();
  }

  /** NaN when there is none. */
  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    if (sorted.length == 0) {
      return Double.NaN;
    }
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
}
