package org.salus.dist.map;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The network block devices of the kernel, and who has attached them. Thread-safe. */
final class NbdDevices {
  static final Pattern NAME = Pattern.compile("nbd\\d{1,5}");

  private final Machine machine;

  NbdDevices(Machine machine) {
    this.machine = machine;
  }

  /** All devices, by their numbers; empty when the kernel's module is not loaded. */
  List<String> names() throws IOException {
    Path block = machine.sys().resolve("block");
    if (!Files.isDirectory(block)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(block)) {
      return all.map(p -> p.getFileName().toString())
          .filter(NAME.asMatchPredicate())
          .sorted(Comparator.comparingInt(n -> Integer.parseInt(n.substring("nbd".length()))))
          .toList();
    }
  }

  Path file(String name) {
    return machine.dev().resolve(name);
  }

  /** The device's directory in sysfs. */
  Path directory(String name) {
    return machine.sys().resolve("block").resolve(name);
  }

  /** The thread that has attached the device; empty when it is free. */
  OptionalLong attacher(String name) throws IOException {
    try {
      return OptionalLong.of(
          Long.parseLong(Files.readString(directory(name).resolve("pid")).strip()));
    } catch (NoSuchFileException free) {
      return OptionalLong.empty();
    } catch (IOException detachedNow) { // the kernel takes the file away while it is read
      if (Files.exists(directory(name).resolve("pid"))) {
        throw detachedNow;
      }
      return OptionalLong.empty();
    }
  }

  boolean isFree(String name) throws IOException {
    return attacher(name).isEmpty();
  }

  /** Whether this mapping's program has attached its device. */
  boolean isAttached(Mapping m) throws IOException {
    OptionalLong thread = attacher(m.device());
    return thread.isPresent() && m.isAttachedBy(commandLine(thread.getAsLong()), file(m.device()));
  }

  /** Whether the device has its size, as soon after it was attached. */
  boolean hasSize(String name) throws IOException {
    return !Files.readString(directory(name).resolve("size")).strip().equals("0");
  }

  /** The words of the command line of a process or thread; none when it is gone. */
  List<String> commandLine(long thread) throws IOException {
    try {
      return List.of(
          new String(Files.readAllBytes(of(thread).resolve("cmdline")), StandardCharsets.UTF_8)
              .split("\0"));
    } catch (IOException gone) { // a process may also end between the opening and the reading
      if (Files.exists(of(thread))) {
        throw gone;
      }
      return List.of();
    }
  }

  /**
   * The programs that were started to attach a mapping's device: before it appears, while it is
   * there, and as long as they hold requests of it.
   */
  List<Long> programs(Mapping m) throws IOException {
    List<Long> found = new ArrayList<>();
    for (long process : processes()) {
      if (m.isAttachedBy(commandLine(process), file(m.device()))) {
        found.add(process);
      }
    }
    return found;
  }

  /** All processes. */
  List<Long> processes() throws IOException {
    try (Stream<Path> all = Files.list(machine.proc())) {
      return all.map(p -> p.getFileName().toString())
          .filter(name -> name.matches("\\d+"))
          .map(Long::parseLong)
          .toList();
    }
  }

  /** The process of a thread. */
  OptionalLong process(long thread) throws IOException {
    try (Stream<String> lines = Files.lines(of(thread).resolve("status"))) {
      return lines
          .filter(l -> l.startsWith("Tgid:"))
          .mapToLong(l -> Long.parseLong(l.substring("Tgid:".length()).strip()))
          .findFirst();
    } catch (IOException | UncheckedIOException gone) {
      if (Files.exists(of(thread))) {
        throw gone;
      }
      return OptionalLong.empty();
    }
  }

  private Path of(long thread) {
    return machine.proc().resolve(Long.toString(thread));
  }
}
