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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds who uses a device or one of its partitions: a mounted file system in any name space, swap,
 * a device on top of it, or a process that has it open. Thread-safe.
 */
final class DeviceUse {
  private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Machine machine;
  private final NbdDevices devices;

  DeviceUse(Machine machine, NbdDevices devices) {
    this.machine = machine;
    this.devices = devices;
  }

  /**
   * Who uses the device, in words; empty when nobody does. A process that only has it open for a
   * moment, as udev's, does not count.
   */
  Optional<String> find(String name) throws IOException {
    long end = System.nanoTime() + MOMENT_NANOS;
    Optional<String> user = findNow(name);
    while (user.isPresent()
        && System.nanoTime() - end < 0
        && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(POLL_NANOS);
      user = findNow(name);
    }
    return user;
  }

  /** Where this process sees file systems of the device, the newest first. */
  List<String> mountPoints(String name) throws IOException {
    Set<String> files = new HashSet<>();
    Set<String> numbers = new HashSet<>();
    identify(parts(name), files, numbers);
    List<String> points = new ArrayList<>();
    for (String line : read(machine.proc().resolve("self/mountinfo")).lines().toList()) {
      mounted(line, files, numbers).ifPresent(point -> points.add(0, point));
    }
    return points;
  }

  private Optional<String> findNow(String name) throws IOException {
    List<Path> parts = parts(name);
    for (Path part : parts) {
      List<String> holders = names(part.resolve("holders"));
      if (!holders.isEmpty()) {
        return Optional.of(String.join(", ", holders) + " is on top of it");
      }
    }
    Set<String> files = new HashSet<>();
    Set<String> numbers = new HashSet<>();
    identify(parts, files, numbers);
    for (String line : read(machine.proc().resolve("swaps")).lines().toList()) {
      if (files.contains(line.split("\\s", 2)[0])) {
        return Optional.of("it is swap space");
      }
    }
    for (Path file : backingFiles()) {
      if (files.contains(read(file).strip())) {
        return Optional.of(machine.sys().relativize(file).getParent() + " has it");
      }
    }
    return byProcess(name, files, numbers);
  }

  private void identify(List<Path> parts, Set<String> files, Set<String> numbers) {
    for (Path part : parts) {
      files.add(machine.dev().resolve(part.getFileName()).toString());
      numbers.add(read(part.resolve("dev")).strip());
    }
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

  /** What the kernel itself has open: loop devices, and exports by iSCSI and NVMe. */
  private List<Path> backingFiles() {
    List<Path> all = new ArrayList<>();
    Path block = machine.sys().resolve("block");
    for (String device : names(block)) {
      if (device.startsWith("loop")) {
        all.add(block.resolve(device).resolve("loop/backing_file"));
      }
    }
    Path target = machine.sys().resolve("kernel/config/target/core");
    for (String kind : names(target)) {
      for (String store : names(target.resolve(kind))) {
        all.add(target.resolve(kind).resolve(store).resolve("udev_path"));
      }
    }
    Path nvme = machine.sys().resolve("kernel/config/nvmet/subsystems");
    for (String system : names(nvme)) {
      Path spaces = nvme.resolve(system).resolve("namespaces");
      for (String space : names(spaces)) {
        all.add(spaces.resolve(space).resolve("device_path"));
      }
    }
    return all;
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
          return mounted.map(point -> "it is mounted at " + point);
        }
      }
      if (attacher.isPresent() && attacher.getAsLong() == Long.parseLong(pid)) {
        continue;
      }
      for (String fd : names(process.resolve("fd"))) {
        if (isOneOf(process.resolve("fd").resolve(fd), files, numbers)) {
          return Optional.of(
              "process " + pid + " (" + read(process.resolve("comm")).strip() + ") has it open");
        }
      }
    }
    return Optional.empty();
  }

  /** Whether an open file is one of these devices, by its name or by its number. */
  private boolean isOneOf(Path fd, Set<String> files, Set<String> numbers) {
    String target = target(fd);
    if (files.contains(target)) {
      return true;
    }
    if (!target.startsWith("/dev/") && !target.startsWith(machine.dev() + "/")) {
      return false; // a look at a file of a file system that hangs would hang
    }
    try {
      long number = ((Number) Files.getAttribute(fd, "unix:rdev")).longValue();
      return numbers.contains(major(number) + ":" + minor(number));
    } catch (IOException gone) {
      return false;
    }
  }

  private static long major(long device) {
    return device >> 8 & 0xfff;
  }

  private static long minor(long device) {
    return device & 0xff | device >> 12 & 0xfff00;
  }

  /**
   * Where one of these devices is mounted. Some file systems have device numbers of their own, so
   * the source counts, too.
   */
  private static Optional<String> mounted(
      String mountInfo, Set<String> files, Set<String> numbers) {
    for (String line : mountInfo.lines().toList()) {
      String[] words = line.split(" ");
      int dash = List.of(words).indexOf("-");
      if (numbers.contains(words[2])
          || dash > 0 && dash + 2 < words.length && files.contains(words[dash + 2])) {
        return Optional.of(unescaped(words[4]));
      }
    }
    return Optional.empty();
  }

  /** The kernel writes blanks and the like in octal. */
  private static String unescaped(String point) {
    return Pattern.compile("\\\\([0-7]{3})")
        .matcher(point)
        .replaceAll(
            m -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(m.group(1), 8))));
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
