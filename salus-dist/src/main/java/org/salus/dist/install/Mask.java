package org.salus.dist.install;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Hides what nobody may read over an operator's shoulder in the text of a file of settings. */
final class Mask {
  private static final String HIDDEN = "********";

  /** A setting, also one in a comment. */
  private static final Pattern PROPERTY =
      Pattern.compile("<property\\b[^>]*/>|<property\\b.*?</property\\s*>", Pattern.DOTALL);

  private static final Pattern NAME =
      Pattern.compile(
          "(?:<name\\s*>|\\bname\\s*=\\s*[\"'])[^<\"']*(?:secret|passw|credential)",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern VALUE =
      Pattern.compile(
          "(<value\\s*>).*?(?=</value)|(\\bvalue\\s*=\\s*\")[^\"]*|(\\bvalue\\s*=\\s*')[^']*",
          Pattern.DOTALL);

  private Mask() {}

  /** The text with the values of all secrets and passwords hidden. */
  static String of(String text) {
    return PROPERTY
        .matcher(text)
        .replaceAll(
            p -> Matcher.quoteReplacement(isSecret(p.group()) ? hidden(p.group()) : p.group()));
  }

  private static boolean isSecret(String property) {
    return NAME.matcher(property).find();
  }

  private static String hidden(String property) {
    return VALUE.matcher(property).replaceAll(v -> Matcher.quoteReplacement(start(v) + HIDDEN));
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
