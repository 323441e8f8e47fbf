package org.salus.benchmarks.figures.network;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The bytes that went over each link of a namespace, from {@code /proc/net/dev}. Immutable. */
record LinkBytes(Map<String, Long> received, Map<String, Long> sent) {
  private static final Pattern LINK =
      Pattern.compile(
          "^\\s*(\\S+):\\s*(\\d+)(?:\\s+\\d+){7}\\s+(\\d+)(?:\\s+\\d+){7}\\s*$", Pattern.MULTILINE);

  static LinkBytes parse(String text) {
    Map<String, Long> received = new TreeMap<>();
    Map<String, Long> sent = new TreeMap<>();
    for (Matcher m = LINK.matcher(text); m.find(); ) {
      received.put(m.group(1), Long.parseLong(m.group(2)));
      sent.put(m.group(1), Long.parseLong(m.group(3)));
    }
    return new LinkBytes(received, sent);
  }
}
