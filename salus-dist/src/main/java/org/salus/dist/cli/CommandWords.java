package org.salus.dist.cli;

import java.util.Map;
import org.salus.client.SalusException;

/** Says in commands and options what the driver's messages say in classes and methods. */
final class CommandWords {
  private static final Map<String, String> WORDS =
      Map.of(
          "SalusClient.list names", "'salus volume list' shows",
          "SalusClient.info", "'salus volume info'",
          "SalusClient.delete", "'salus volume delete'",
          "SalusClient.repairs", "'salus volume repair'",
          "plan with withoutSilent", "give --without-silent",
          "its RepairShape", "the shape with --size, --block-size, --segment-size and --regions");

  private CommandWords() {}

  /** The message of a failed command, in the words of {@code bin/salus}. */
  static String of(Exception failed, String message) {
    String words = message;
    for (Map.Entry<String, String> w : WORDS.entrySet()) {
      words = words.replace(w.getKey(), w.getValue());
    }
    return failed instanceof SalusException.Busy ? words + " (--force)" : words;
  }
}
