package org.salus.dist.map;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;

/**
 * A volume and its device, as the file of the mapping has it. Immutable.
 *
 * @param device the name of the device, such as {@code nbd0}
 * @param bridge the bridge from which the device has its data
 * @param own whether {@code salus map} has started this bridge
 * @param timeout how many seconds requests wait for a bridge that is away
 * @param arguments the arguments for {@code salus nbd} that say of which cluster the volume is
 * @param attached false while it is being made
 */
record Mapping(
    String volume,
    String device,
    BridgeAddress bridge,
    boolean own,
    boolean readOnly,
    int timeout,
    List<String> arguments,
    boolean attached) {
  /** The program that attaches devices. */
  static final String PROGRAM = "qemu-nbd";

  private static final String ARGUMENT = "argument";

  /** Copies the list. */
  Mapping {
    arguments = List.copyOf(arguments);
  }

  Mapping toDevice(String other) {
    return new Mapping(volume, other, bridge, own, readOnly, timeout, arguments, attached);
  }

  Mapping done() {
    return new Mapping(volume, device, bridge, own, readOnly, timeout, arguments, true);
  }

  /**
   * The command that attaches the device, and goes on in the background until it is detached. The
   * bridge may end and start again meanwhile: the program connects anew and sends what was not
   * answered once more.
   *
   * @param file the device's file
   * @param socket the program's own socket. Its default is where anybody may put a file
   */
  List<String> attach(Path file, Path socket) {
    List<String> command =
        new ArrayList<>(
            List.of(
                PROGRAM,
                "--connect=" + file,
                "--socket=" + socket,
                "--discard=unmap",
                "--detect-zeroes=off"));
    if (readOnly) {
      command.add("--read-only");
    }
    command.addAll(List.of("--image-opts", source() + ",reconnect-delay=" + timeout));
    return command;
  }

  /** Which volume of which bridge it is, in words of QEMU. */
  private String source() {
    return "driver=nbd," + bridge.options() + ",export=" + volume;
  }

  /** Whether a program with these words serves a device with the volume of this bridge. */
  boolean isServedBy(List<String> words) {
    return words.stream().anyMatch(w -> w.startsWith(source() + ","));
  }

  /** Whether a program with these words has attached this very device. */
  boolean isAttachedBy(List<String> words, Path file) {
    return isServedBy(words) && words.contains("--connect=" + file);
  }

  String text() {
    StringBuilder words = new StringBuilder();
    for (int i = 0; i < arguments.size(); i++) {
      words.append(ARGUMENT).append(i).append('=').append(escaped(arguments.get(i))).append('\n');
    }
    return String.join(
        "\n",
        "device=" + device,
        "bridge=" + escaped(bridge.toString()),
        "own=" + own,
        "read-only=" + readOnly,
        "timeout=" + timeout,
        "attached=" + attached,
        words);
  }

  private static String escaped(String value) {
    return value
        .replace("\\", "\\\\")
        .replace("\n", "\\n")
        .replace("\r", "\\r")
        .replaceFirst("^(?=[ \t\f])", "\\\\"); // blanks at the beginning would be skipped
  }

  /**
   * Reads what {@link #text} gives.
   *
   * @throws IOException when something is missing or wrong
   */
  static Mapping of(String volume, String text) throws IOException {
    Properties p = new Properties();
    try {
      p.load(new StringReader(text));
      return new Mapping(
          volume,
          required(p, "device"),
          BridgeAddress.parse(required(p, "bridge")),
          Boolean.parseBoolean(required(p, "own")),
          Boolean.parseBoolean(required(p, "read-only")),
          Integer.parseInt(required(p, "timeout")),
          arguments(p),
          Boolean.parseBoolean(required(p, "attached")));
    } catch (IllegalArgumentException damaged) {
      throw new IOException("it is damaged: " + damaged.getMessage(), damaged);
    }
  }

  private static List<String> arguments(Properties p) {
    return IntStream.iterate(0, i -> p.containsKey(ARGUMENT + i), i -> i + 1)
        .mapToObj(i -> p.getProperty(ARGUMENT + i))
        .toList();
  }

  private static String required(Properties p, String key) {
    String value = p.getProperty(key);
    if (value == null) {
      throw new IllegalArgumentException("there is no " + key);
    }
    return value;
  }
}
