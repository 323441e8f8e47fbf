package org.salus.benchmarks.faulty;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.salus.host.DaemonThreads;

/**
 * Reads which faults a server is to have. The file {@code on/STORE@NODE@FAULT} switches one on for
 * a volume or table. The server then makes a file of that name in {@code seen}, and one in {@code
 * done} when it has done the fault. Thread-safe.
 */
public final class Control {
  /** Configuration key: the directory. */
  public static final String DIR_KEY = "salus.faulty.dir";

  private static final long LOOK_NANOS = 5_000_000;
  private static final Map<String, Control> CONTROLS = new ConcurrentHashMap<>();

  private final Path dir;
  private final String node;
  private final Set<String> done = ConcurrentHashMap.newKeySet();
  private volatile Map<String, EnumSet<ServerFault>> on = Map.of();

  private Control(Path dir, String node) {
    this.dir = dir;
    this.node = node;
  }

  private static Control start(Path dir, String node) {
    Control made = new Control(dir, node);
    DaemonThreads.start("faults", made::watch);
    return made;
  }

  /** The control of this server; {@code dir} is the value of {@link #DIR_KEY}. */
  public static Control of(String dir, String node) {
    if (dir == null) {
      throw new IllegalArgumentException(
          DIR_KEY + " is not set: a faulty server needs to be told its faults");
    }
    return CONTROLS.computeIfAbsent(node, n -> start(Path.of(dir), n));
  }

  private void watch() {
    List<String> before = List.of();
    while (true) {
      List<String> now = mine();
      if (!now.equals(before)) {
        read(now);
        now.forEach(name -> answer("seen", name));
        before = now;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private List<String> mine() {
    try (Stream<Path> files = Files.list(dir.resolve("on"))) {
      return files
          .map(f -> f.getFileName().toString())
          .filter(n -> n.split("@").length == 3 && n.split("@")[1].equals(node))
          .sorted()
          .toList();
    } catch (IOException none) {
      return List.of(); // nothing was switched on yet
    }
  }

  private void read(List<String> names) {
    Map<String, EnumSet<ServerFault>> next = new HashMap<>();
    for (String name : names) {
      String[] parts = name.split("@");
      next.computeIfAbsent(parts[0], s -> EnumSet.noneOf(ServerFault.class))
          .add(ServerFault.valueOf(parts[2]));
    }
    on = next;
  }

  private void answer(String how, String name) {
    try {
      Files.createDirectories(dir.resolve(how));
      Files.createFile(dir.resolve(how).resolve(name));
    } catch (FileAlreadyExistsException already) {
      return;
    } catch (IOException failed) {
      throw new IllegalStateException("cannot tell that " + name + " is " + how, failed);
    }
  }

  /** The faults that are on for a volume or table. Callers must not change the set. */
  public Set<ServerFault> of(String store) {
    Set<ServerFault> now = on.get(store);
    return now == null ? Set.of() : now;
  }

  /** Records that a fault was done. */
  public void did(String store, ServerFault fault) {
    String name = store + "@" + node + "@" + fault.name();
    if (done.add(name)) {
      answer("done", name);
    }
  }
}
