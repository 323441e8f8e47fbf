package org.salus.host.metrics;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** The labels of a metric, in their order. Values may be any text. Immutable. */
public record Labels(Map<String, String> values) {
  public static final Labels NONE = new Labels(Map.of());

  private static final Pattern NAME = Pattern.compile("[a-z][a-z_]*");

  /**
   * @throws IllegalArgumentException when a name is not of small letters and underscores
   */
  public Labels {
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    for (String name : values.keySet()) {
      if (!NAME.matcher(name).matches() || name.equals("le")) {
        throw new IllegalArgumentException("'" + name + "' is no name of a label");
      }
    }
  }

  public static Labels of(String name, String value) {
    return new Labels(Map.of(name, value));
  }

  /** These labels and one more. */
  public Labels with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(values);
    more.put(name, value);
    return new Labels(more);
  }
}
