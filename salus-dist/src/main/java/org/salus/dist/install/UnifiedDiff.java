package org.salus.dist.install;

import java.util.ArrayList;
import java.util.List;

/** The difference of two texts in the form of {@code diff -u}. */
final class UnifiedDiff {
  private static final int CONTEXT = 3;
  private static final String NO_END = "\\ No newline at end of file";

  /**
   * A line of the difference.
   *
   * @param sign a blank, a minus or a plus
   */
  private record Line(char sign, String text) {}

  private UnifiedDiff() {}

  /** The lines of the difference; none if the texts are the same. */
  static List<String> of(String name, String before, String after) {
    List<String> out = new ArrayList<>();
    if (before.equals(after)) {
      return out;
    }
    out.add("--- " + name);
    out.add("+++ " + name);
    List<Line> all = lines(split(before), split(after));
    int i = 0;
    while (i < all.size()) {
      while (i < all.size() && all.get(i).sign() == ' ') {
        i++;
      }
      if (i < all.size()) {
        int from = Math.max(0, i - CONTEXT);
        int to = end(all, i);
        hunk(all, from, to, out);
        i = to;
      }
    }
    return out;
  }

  /** Behind the lines that are shown together with this one. */
  private static int end(List<Line> all, int changed) {
    int last = changed;
    for (int i = changed; i < all.size() && i <= last + 2 * CONTEXT + 1; i++) {
      if (all.get(i).sign() != ' ') {
        last = i;
      }
    }
    return Math.min(all.size(), last + CONTEXT + 1);
  }

  private static void hunk(List<Line> all, int from, int to, List<String> out) {
    List<Line> shown = all.subList(from, to);
    out.add(
        "@@ -"
            + range(all.subList(0, from), shown, '+')
            + " +"
            + range(all.subList(0, from), shown, '-')
            + " @@");
    for (Line line : shown) {
      boolean isWhole = line.text().endsWith("\n");
      String text = isWhole ? line.text().substring(0, line.text().length() - 1) : line.text();
      out.add(line.sign() + text);
      if (!isWhole) {
        out.add(NO_END);
      }
    }
  }

  /**
   * The first line and the number of lines of one side; those with the other's sign are not of it.
   */
  private static String range(List<Line> before, List<Line> shown, char others) {
    long first = before.stream().filter(l -> l.sign() != others).count();
    long count = shown.stream().filter(l -> l.sign() != others).count();
    return (count == 0 ? first : first + 1) + (count == 1 ? "" : "," + count);
  }

  /** Lines with their line breaks. */
  private static List<String> split(String text) {
    List<String> lines = new ArrayList<>();
    int from = 0;
    while (from < text.length()) {
      int end = text.indexOf('\n', from);
      int next = end < 0 ? text.length() : end + 1;
      lines.add(text.substring(from, next));
      from = next;
    }
    return lines;
  }

  private static List<Line> lines(List<String> a, List<String> b) {
    int start = 0;
    while (start < Math.min(a.size(), b.size()) && a.get(start).equals(b.get(start))) {
      start++;
    }
    int aEnd = a.size();
    int bEnd = b.size();
    while (aEnd > start && bEnd > start && a.get(aEnd - 1).equals(b.get(bEnd - 1))) {
      aEnd--;
      bEnd--;
    }
    List<Line> all = new ArrayList<>();
    a.subList(0, start).forEach(l -> all.add(new Line(' ', l)));
    middle(a.subList(start, aEnd), b.subList(start, bEnd), all);
    a.subList(aEnd, a.size()).forEach(l -> all.add(new Line(' ', l)));
    return all;
  }

  /** By the longest common subsequence. */
  private static void middle(List<String> a, List<String> b, List<Line> all) {
    int[][] common = new int[a.size() + 1][b.size() + 1];
    for (int i = a.size() - 1; i >= 0; i--) {
      for (int j = b.size() - 1; j >= 0; j--) {
        common[i][j] =
            a.get(i).equals(b.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    int i = 0;
    int j = 0;
    while (i < a.size() || j < b.size()) {
      if (i < a.size() && j < b.size() && a.get(i).equals(b.get(j))) {
        all.add(new Line(' ', a.get(i++)));
        j++;
      } else if (j == b.size() || i < a.size() && common[i + 1][j] >= common[i][j + 1]) {
        all.add(new Line('-', a.get(i++)));
      } else {
        all.add(new Line('+', b.get(j++)));
      }
    }
  }
}
