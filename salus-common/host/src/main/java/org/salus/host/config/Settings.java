package org.salus.host.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All settings there are. */
public final class Settings {
  private static final String PREFIX = "salus.";

  /** By the group's name, in the order of the reference page. */
  static final Map<String, List<Setting<?>>> GROUPS = new LinkedHashMap<>();

  static {
    GROUPS.put("Client", ClientSettings.ALL);
    GROUPS.put("Cluster", ClusterSettings.ALL);
    GROUPS.put("Server", ServerSettings.ALL);
    GROUPS.put("Parts", PartSettings.ALL);
  }

  private Settings() {}

  /**
   * IllegalArgumentException when a key of Salus is none: a misspelt setting would otherwise be a
   * default.
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
