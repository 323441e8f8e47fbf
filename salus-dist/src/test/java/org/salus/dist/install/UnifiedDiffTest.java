package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class UnifiedDiffTest {
  private static final Pattern HUNK =
      Pattern.compile("@@ -(\\d+)(?:,(\\d+))? \\+(\\d+)(?:,(\\d+))? @@");

  @Test
  void itIsThatOfDiff() {
    String before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\nend";
    String after = "1\n2\n3\nfour\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\nnew\nend";
    assertThat(UnifiedDiff.of("f", before, after))
        .containsExactly(
            "--- f",
            "+++ f",
            "@@ -1,7 +1,7 @@",
            " 1",
            " 2",
            " 3",
            "-4",
            "+four",
            " 5",
            " 6",
            " 7",
            "@@ -12,4 +12,5 @@",
            " 12",
            " 13",
            " 14",
            "+new",
            " end",
            "\\ No newline at end of file");
    assertThat(UnifiedDiff.of("f", before, before)).isEmpty();
    assertThat(UnifiedDiff.of("f", "", "a\n"))
        .containsExactly("--- f", "+++ f", "@@ -0,0 +1 @@", "+a");
  }

  @Test
  void whoAppliesItGetsTheSecondText() {
    Random random = new Random(7);
    for (int i = 0; i < 500; i++) {
      String before = text(random);
      String after = text(random);
      assertThat(patched(before, UnifiedDiff.of("f", before, after)))
          .as("%s to %s", before, after)
          .isEqualTo(after);
    }
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int n = random.nextInt(30); n > 0; n--) {
      text.append(random.nextInt(4)).append('\n');
    }
    return text.toString();
  }

  /** Does what patch does, and believes nothing that the text does not say, too. */
  private static String patched(String before, List<String> diff) {
    List<String> lines = before.lines().toList();
    List<String> out = new ArrayList<>();
    int at = 0;
    for (int i = 2; i < diff.size(); ) {
      Matcher hunk = HUNK.matcher(diff.get(i++));
      assertThat(hunk.matches()).isTrue();
      int count = hunk.group(2) == null ? 1 : Integer.parseInt(hunk.group(2));
      int from = Integer.parseInt(hunk.group(1)) - (count == 0 ? 0 : 1);
      out.addAll(lines.subList(at, from));
      at = from;
      int newCount = hunk.group(4) == null ? 1 : Integer.parseInt(hunk.group(4));
      assertThat(out).hasSize(Integer.parseInt(hunk.group(3)) - (newCount == 0 ? 0 : 1));
      for (; i < diff.size() && !diff.get(i).startsWith("@@"); i++) {
        String text = diff.get(i).substring(1);
        if (diff.get(i).charAt(0) != '+') {
          assertThat(lines.get(at++)).isEqualTo(text);
          count--;
        }
        if (diff.get(i).charAt(0) != '-') {
          out.add(text);
          newCount--;
        }
      }
      assertThat(count).isZero();
      assertThat(newCount).isZero();
    }
    out.addAll(lines.subList(at, lines.size()));
    return out.isEmpty() ? "" : String.join("\n", out) + "\n";
  }
}
