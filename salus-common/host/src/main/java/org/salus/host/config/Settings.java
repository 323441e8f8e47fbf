package org.salus.host.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All settings of Salus. */
public final class Settings {
  private static final String PREFIX = "salus.";

  /** All settings by their group's title, in the order of the reference page. */
  static final Map<String, List<Setting<?>>> GROUPS = new LinkedHashMap<>();

  static {
    GROUPS.put("Client", ClientSettings.ALL);
    GROUPS.put("Cluster", ClusterSettings.ALL);
    GROUPS.put("Server", ServerSettings.ALL);
    GROUPS.put("Parts", PartSettings.ALL);
  }

  private Settings() {}

  /**
   * Checks that every key that begins with {@code salus.} is a setting. Without this check a
   * misspelt setting would silently have its default.
   *
   * @throws IllegalArgumentException when one is not
   */
  public static void requireKnown(Map<String, String> values) {
    for (String key : values.keySet()) {
      if (key.startsWith(PREFIX)
          && GROUPS.values().stream().flatMap(List::stream).noneMatch(s -> s.key().equals(key))) {
        throw new IllegalArgumentException(
            "there is no setting " + key + "; docs/configuration.md has all");
      }
    }
  }
}
