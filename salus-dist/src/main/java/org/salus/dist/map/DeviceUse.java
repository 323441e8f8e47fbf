package org.salus.dist.map;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Finds who uses a device or one of its partitions: a mounted file system in any name space, swap,
 * a device on top of it, or a process that has it open. Thread-safe.
 */
final class DeviceUse {
  private final Machine machine;
  private final NbdDevices devices;

  DeviceUse(Machine machine, NbdDevices devices) {
    this.machine = machine;
    this.devices = devices;
  }

  /** Who uses the device, in words; empty when nobody does. */
  Optional<String> find(String name) throws IOException {
    List<Path> parts = parts(name);
    for (Path part : parts) {
      List<String> holders = names(part.resolve("holders"));
      if (!holders.isEmpty()) {
        return Optional.of(String.join(", ", holders) + " is on top of it");
      }
    }
    Set<String> files = new HashSet<>();
    Set<String> numbers = new HashSet<>();
    for (Path part : parts) {
      files.add(machine.dev().resolve(part.getFileName()).toString());
      numbers.add(read(part.resolve("dev")).strip());
    }
    for (String line : read(machine.proc().resolve("swaps")).lines().toList()) {
      if (files.contains(line.split("\\s", 2)[0])) {
        return Optional.of("it is swap space");
      }
    }
    return byProcess(name, files, numbers);
  }

  /** The directories in sysfs of the device and of its partitions. */
  private List<Path> parts(String name) throws IOException {
    Path disk = devices.directory(name);
    List<Path> parts = new ArrayList<>(List.of(disk));
    for (String below : names(disk)) {
      if (below.startsWith(name + "p")) {
        parts.add(disk.resolve(below));
      }
    }
    return parts;
  }

  private Optional<String> byProcess(String name, Set<String> files, Set<String> numbers)
      throws IOException {
    OptionalLong thread = devices.attacher(name);
    OptionalLong attacher = thread.isEmpty() ? thread : devices.process(thread.getAsLong());
    Set<String> seen = new HashSet<>();
    for (String pid : names(machine.proc())) {
      if (!pid.matches("\\d+")) {
        continue;
      }
      Path process = machine.proc().resolve(pid);
      if (seen.add(target(process.resolve("ns/mnt")))) {
        Optional<String> mounted = mounted(read(process.resolve("mountinfo")), files, numbers);
        if (mounted.isPresent()) {
          return mounted;
        }
      }
      if (attacher.isPresent() && attacher.getAsLong() == Long.parseLong(pid)) {
        continue;
      }
      for (String fd : names(process.resolve("fd"))) {
        if (files.contains(target(process.resolve("fd").resolve(fd)))) {
          return Optional.of(
              "process " + pid + " (" + read(process.resolve("comm")).strip() + ") has it open");
        }
      }
    }
    return Optional.empty();
  }

  /** Some file systems have device numbers of their own, so the source counts, too. */
  private static Optional<String> mounted(
      String mountInfo, Set<String> files, Set<String> numbers) {
    for (String line : mountInfo.lines().toList()) {
      String[] words = line.split(" ");
      int dash = List.of(words).indexOf("-");
      if (numbers.contains(words[2])
          || dash > 0 && dash + 2 < words.length && files.contains(words[dash + 2])) {
        return Optional.of("it is mounted at " + words[4]);
      }
    }
    return Optional.empty();
  }

  private static List<String> names(Path directory) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(e -> names.add(e.getFileName().toString()));
    } catch (IOException goneOrNone) {
      return List.of();
    }
    return names;
  }

  /** A file's content; empty when it is gone, as with a process that has ended. */
  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return "";
    }
  }

  /** Where a link points; its own name when it is gone. */
  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException gone) {
      return link.toString();
    }
  }
}
