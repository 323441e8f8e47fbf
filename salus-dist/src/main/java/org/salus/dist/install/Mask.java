package org.salus.dist.install;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.salus.dist.install.SiteText.Property;

/**
 * Shows how the text of a file of settings changes. Each value that does not change is hidden: it
 * may be a secret, and nobody needs it to judge the change.
 */
final class Mask {
  private static final String HIDDEN = "********";

  /** A value in a comment or in an attribute. */
  private static final Pattern VALUE =
      Pattern.compile(
          "(<value\\s*>).*?(?=</value)|(\\bvalue\\s*=\\s*\")[^\"]*|(\\bvalue\\s*=\\s*')[^']*",
          Pattern.DOTALL);

  private Mask() {}

  /** The difference in the form of {@code diff -u}. */
  static List<String> diff(Path file, String before, String after) throws IOException {
    SiteText old = SiteText.of(before, file);
    SiteText next = SiteText.of(after, file);
    Map<String, List<String>> was = values(old);
    Map<String, List<String>> is = values(next);
    Set<String> changed = new HashSet<>(was.keySet());
    changed.addAll(is.keySet());
    changed.removeIf(key -> key.isEmpty() || was.getOrDefault(key, List.of()).equals(is.get(key)));
    return UnifiedDiff.of(
        file.toString(), masked(old, before, changed), masked(next, after, changed));
  }

  private static Map<String, List<String>> values(SiteText site) {
    return site.properties().stream()
        .collect(
            Collectors.groupingBy(
                Property::name, Collectors.mapping(site::value, Collectors.toList())));
  }

  private static String masked(SiteText site, String text, Set<String> shown) {
    StringBuilder all = new StringBuilder();
    int at = 0;
    for (Property p : site.properties()) {
      if (p.valueStart() >= 0) {
        all.append(hidden(text.substring(at, p.valueStart())));
        all.append(shown.contains(p.name()) ? site.value(p) : HIDDEN);
        at = p.valueEnd();
      }
    }
    all.append(hidden(text.substring(at)));
    return new String(SiteText.bytes(all.toString()), StandardCharsets.UTF_8);
  }

  private static String hidden(String text) {
    return VALUE.matcher(text).replaceAll(v -> Matcher.quoteReplacement(start(v) + HIDDEN));
  }

  private static String start(MatchResult value) {
    for (int i = 1; i <= value.groupCount(); i++) {
      if (value.group(i) != null) {
        return value.group(i);
      }
    }
    return "";
  }
}
