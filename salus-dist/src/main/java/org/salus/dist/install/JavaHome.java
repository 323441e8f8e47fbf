package org.salus.dist.install;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which Java starts the daemons of a product, as far as a script beside their settings says so. */
final class JavaHome {
  private static final int OLDEST = 17;
  private static final Pattern ASSIGNMENT =
      Pattern.compile("(?m)^\\s*(?:export\\s+)?JAVA_HOME=(.*)$");
  private static final Pattern LITERAL =
      Pattern.compile("(?:\"([^\"$`]*)\"|'([^']*)'|([^\"'\\s#;$`]*))\\s*(?:[#;].*)?");
  private static final Pattern RELEASE = Pattern.compile("JAVA_VERSION=\"(?:1\\.)?(\\d+)");

  private JavaHome() {}

  /**
   * Looks whether it is one that Salus can run in.
   *
   * @param script sets JAVA_HOME
   * @return a sentence if nobody can tell; else empty
   * @throws IOException when it is too old
   */
  static Optional<String> look(Product product, Path script) throws IOException {
    List<Integer> all = new ArrayList<>();
    boolean isKnown = false;
    if (Files.isReadable(script)) {
      Matcher line = ASSIGNMENT.matcher(Files.readString(script, StandardCharsets.ISO_8859_1));
      isKnown = true;
      while (line.find()) {
        Optional<Integer> java = version(line.group(1).strip());
        java.ifPresent(all::add);
        isKnown &= java.isPresent();
      }
      isKnown &= !all.isEmpty();
    }
    if (isKnown && all.stream().allMatch(v -> v >= OLDEST)) {
      return Optional.empty();
    }
    if (isKnown && all.stream().allMatch(v -> v < OLDEST)) {
      throw new IOException(
          script
              + " starts "
              + product.words()
              + " with Java "
              + all.get(all.size() - 1)
              + ", and Salus needs 17 or later: set JAVA_HOME there to one");
    }
    return Optional.of(
        script
            + " does not say for sure which Java starts "
            + product.words()
            + ": see to it that it is 17 or later, for daemons with Salus do not start with an older"
            + " one");
  }

  /** The version of the Java in a directory that stands in a script; empty if it is not known. */
  private static Optional<Integer> version(String text) throws IOException {
    Matcher literal = LITERAL.matcher(text);
    if (!literal.matches()) {
      return Optional.empty();
    }
    String home = "";
    for (int i = 1; i <= literal.groupCount(); i++) {
      home += literal.group(i) == null ? "" : literal.group(i);
    }
    Path release;
    try {
      release = Path.of(home, "release");
    } catch (IllegalArgumentException nonsense) {
      return Optional.empty();
    }
    if (!release.isAbsolute() || !Files.isReadable(release)) {
      return Optional.empty();
    }
    Matcher version = RELEASE.matcher(Files.readString(release, StandardCharsets.ISO_8859_1));
    return version.find() ? Optional.of(Integer.parseInt(version.group(1))) : Optional.empty();
  }
}
