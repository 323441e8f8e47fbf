package org.salus.dist.hbase;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.salus.host.DurableFile;

/**
 * A daemon as a process of its own. Its pid is in {@code run/NAME.pid}, its output in {@code
 * logs/NAME.out}, its log in {@code logs/NAME.log}. Not thread-safe.
 */
public final class DaemonProcess {
  /**
   * The main class of {@code bin/salus}, by name, since the command line depends on this package.
   */
  private static final String MAIN = "org.salus.dist.cli.Salus";

  /**
   * The variable with further options of a bridge's JVM. {@code SALUS_OPTS} is the caller's own: an
   * option that names a port or a file is good for one process.
   */
  private static final String OPTIONS = "SALUS_BRIDGE_OPTS";

  /** How many of the first and of the last bytes that it has printed are looked at. */
  private static final int SAID = 1 << 18;

  static final long START_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(10);
  static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int LAST_LINES = 3;

  /** The beginning of a log line; other lines belong to a stack trace. */
  private static final Pattern LOG_LINE = Pattern.compile("^\\d{4}-");

  /** The state of a process that has ended, in the kernel's words. */
  private static final String ZOMBIE = "Z";

  /** The begin of a process that ended before anybody asked for it. */
  private static final String GONE = "gone";

  /** An option that chooses the garbage collector. */
  private static final Pattern COLLECTOR = Pattern.compile("-XX:\\+Use\\w*GC");

  private static final Path PROC = Path.of("/proc");

  /** Of the words after the name in a process' {@code stat}, the time at which it began. */
  private static final int BEGAN = 19;

  private static final Pattern NUMBER = Pattern.compile("\\d+$");
  private static final String READY = "ready";

  /** The line that a daemon prints when it begins to end. */
  public static final String ENDING = "ending";

  private final String name;
  private final Path pidFile;
  private final Path out;
  private final Path log;
  private final List<String> on;
  private final List<String> arguments;
  private final List<String> jvm;
  private final String classPath;

  /** The words of its command line that no other process has; empty for none. */
  private final List<String> own;

  /** The directory in which it runs; null for that of this process. */
  private final Path home;

  /**
   * @param dir the cluster's directory
   * @param name the daemon's name
   * @param on a command that runs the rest of its line where the daemon belongs; empty for here
   * @param jvm the options of its JVM
   * @param classPath the class path of its JVM
   * @param arguments the arguments of {@code bin/salus}, which prints a line that begins with
   *     "ready" when it serves
   */
  DaemonProcess(
      Path dir,
      String name,
      List<String> on,
      List<String> jvm,
      String classPath,
      List<String> arguments) {
    this(dir, name, on, jvm, classPath, arguments, List.of(), null);
  }

  private DaemonProcess(
      Path dir,
      String name,
      List<String> on,
      List<String> jvm,
      String classPath,
      List<String> arguments,
      List<String> own,
      Path home) {
    this.name = name;
    this.pidFile = dir.resolve("run").resolve(name + ".pid");
    this.out = dir.resolve("logs").resolve(name + ".out");
    this.log = log(dir, name);
    this.on = on;
    this.jvm = jvm;
    this.classPath = classPath;
    this.arguments = arguments;
    this.own = own;
    this.home = home;
  }

  /**
   * A bridge for one volume, with the heap and the class path of this process, and the options in
   * {@code SALUS_BRIDGE_OPTS}. It is named for the volume, and keeps no directory busy.
   *
   * @param socket the Unix socket on which it listens, and no other process ever has
   * @param options further options of {@code salus nbd}
   */
  public static DaemonProcess bridge(
      Path dir, String volume, List<String> on, Path socket, List<String> options) {
    return bridge(dir, volume, on, socket, options, System.getenv(OPTIONS));
  }

  /**
   * @param jvm further options of its JVM, parted by blanks; may be null
   */
  static DaemonProcess bridge(
      Path dir, String volume, List<String> on, Path socket, List<String> options, String jvm) {
    List<String> own = List.of("nbd", volume, "--socket", socket.toString());
    List<String> arguments = new ArrayList<>(own);
    arguments.addAll(List.of("--log", log(dir, volume).toString())); // what it prints has no bound
    arguments.addAll(options);
    return new DaemonProcess(
        dir,
        volume,
        on,
        Stream.concat(
                ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                    .filter(a -> a.startsWith("-Xmx")),
                words(jvm))
            .toList(),
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).toAbsolutePath().toString())
            .collect(Collectors.joining(File.pathSeparator)),
        arguments,
        own,
        Path.of("/"));
  }

  /** Options as {@code bin/salus} takes them. */
  private static Stream<String> words(String options) {
    return options == null || options.isBlank()
        ? Stream.of()
        : Stream.of(options.strip().split("\\s+"));
  }

  /** The file with what it prints. */
  public Path output() {
    return out;
  }

  /** Its log file. */
  public Path log() {
    return log;
  }

  /** The log file of a daemon of this name. */
  static Path log(Path dir, String name) {
    return dir.resolve("logs").resolve(name + ".log");
  }

  public String name() {
    return name;
  }

  /** The name without the number that tells servers of one kind apart. */
  String kind() {
    return NUMBER.matcher(name).replaceFirst("");
  }

  /** The process; empty when it does not run. */
  public Optional<ProcessHandle> process() throws IOException {
    Optional<ProcessHandle> noted = noted();
    return noted.isPresent() || own.isEmpty() ? noted : unnoted();
  }

  private Optional<ProcessHandle> noted() throws IOException {
    try {
      String[] parts = Files.readString(pidFile).strip().split(" ");
      long pid = Long.parseLong(parts[0]);
      // Pids are used again, so the start must match, too.
      return parts[1].equals(start(pid)) ? running(pid) : Optional.empty();
    } catch (NoSuchFileException never) {
      return Optional.empty();
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException garbage) {
      throw new IOException(
          pidFile + " is damaged; see that " + name + " does not run, and delete it", garbage);
    }
  }

  /** A process that was started by one that ended before it could write the pid down. */
  private Optional<ProcessHandle> unnoted() throws IOException {
    try (Stream<Path> all = Files.list(PROC)) {
      return all.map(p -> p.getFileName().toString())
          .filter(pid -> pid.matches("\\d+"))
          .filter(pid -> Collections.indexOfSubList(commandLine(pid), own) >= 0)
          .flatMap(pid -> running(Long.parseLong(pid)).stream())
          .findFirst();
    }
  }

  /** The words of a process' command line; none if it has ended. */
  private static List<String> commandLine(String pid) {
    try {
      return List.of(
          new String(
                  Files.readAllBytes(PROC.resolve(pid).resolve("cmdline")), StandardCharsets.UTF_8)
              .split("\0"));
    } catch (IOException gone) {
      return List.of();
    }
  }

  /**
   * The process.
   *
   * @throws IOException if it does not run, with its last log lines
   */
  public ProcessHandle running() throws IOException {
    Optional<ProcessHandle> process = process();
    if (process.isEmpty()) {
      throw new IOException(name + " does not run" + logged(List.of()));
    }
    return process.get();
  }

  /** Whether it still runs but has begun to end. */
  public boolean isEnding() throws IOException {
    return process().isPresent() && Files.exists(out) && said().anyMatch(ENDING::equals);
  }

  /**
   * The lines that it has printed; any byte may be in them. Of much output, these are the first and
   * the last ones.
   */
  public Stream<String> said() throws IOException {
    try (FileChannel file = FileChannel.open(out)) {
      long size = file.size();
      String head = read(file, 0, Math.min(size, SAID));
      return size <= SAID
          ? head.lines()
          : Stream.concat(head.lines(), read(file, Math.max(SAID, size - SAID), SAID).lines());
    }
  }

  private static String read(FileChannel file, long at, long bytes) throws IOException {
    ByteBuffer b = ByteBuffer.allocate((int) bytes);
    while (b.hasRemaining() && file.read(b, at + b.position()) >= 0) {
      continue;
    }
    return StandardCharsets.ISO_8859_1.decode(b.flip()).toString();
  }

  /**
   * A process that has not ended. Java takes a process for alive that has ended, until its parent
   * has asked for its exit code. Where nobody does, as in a container without an init process, that
   * is for ever.
   */
  private static Optional<ProcessHandle> running(long pid) {
    List<String> stat = stat(pid);
    return stat.isEmpty() || stat.get(0).equals(ZOMBIE)
        ? Optional.empty()
        : ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
  }

  /** The words after the name in a process' {@code stat}; none if it is gone. */
  private static List<String> stat(long pid) {
    try {
      String stat =
          Files.readString(
              PROC.resolve(Long.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
      return List.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "));
    } catch (IOException gone) {
      return List.of();
    }
  }

  /**
   * When a process began, in ticks since this boot of the machine, and which boot that is. A clock
   * that is set changes neither. {@link #GONE} if it has ended.
   */
  static String start(long pid) throws IOException {
    List<String> stat = stat(pid);
    return stat.isEmpty()
        ? GONE
        : stat.get(BEGAN)
            + "@"
            + Files.readString(PROC.resolve("sys/kernel/random/boot_id")).strip();
  }

  /** Starts the daemon unless it runs. It outlives this process. */
  public void start() throws IOException {
    if (process().isPresent()) {
      return;
    }
    Files.createDirectories(pidFile.getParent());
    Files.createDirectories(out.getParent());
    Process started =
        new ProcessBuilder(command())
            .directory(home == null ? null : home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    DurableFile.write(pidFile, note(started.pid()).getBytes(StandardCharsets.US_ASCII));
  }

  /** What its pid file says; the process may have ended at once. */
  static String note(long pid) throws IOException {
    return pid + " " + start(pid) + "\n";
  }

  /** The whole command. */
  List<String> command() throws IOException {
    List<String> command = new ArrayList<>(on);
    command.addAll(
        java(
            Stream.concat(jvm.stream(), ClassArchive.options(classPath).stream()).toList(),
            classPath));
    command.addAll(arguments);
    return command;
  }

  /** Removes what it has printed and logged. */
  public void deleteOutput() throws IOException {
    Files.deleteIfExists(out);
    Files.deleteIfExists(log);
    int older = 1;
    while (Files.deleteIfExists(log.resolveSibling(log.getFileName() + "." + older))) {
      older++;
    }
  }

  /** The command of a JVM that runs {@code bin/salus}; the arguments are to be added. */
  static List<String> java(List<String> options, String classPath) {
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(options);
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(a -> a.startsWith("--add-") || a.startsWith("-Dio.netty") || a.startsWith("-ea"))
        .forEach(command::add);
    if (options.stream().noneMatch(COLLECTOR.asMatchPredicate())) {
      command.add("-XX:+UseSerialGC"); // a JVM with two of them does not start
    }
    command.addAll(
        List.of("-XX:+ExitOnOutOfMemoryError", "-XX:-UsePerfData", "-cp", classPath, MAIN));
    return command;
  }

  /**
   * Waits until it serves, for 120 s at most.
   *
   * @throws IOException when it ends or is late; the message has its last line of output
   */
  public void awaitReady() throws IOException {
    awaitReady(List.of());
  }

  /**
   * Same as {@link #awaitReady()}. Starts the daemons in {@code needs} again when they end
   * meanwhile.
   */
  void awaitReady(List<DaemonProcess> needs) throws IOException {
    long end = System.nanoTime() + START_NANOS;
    while (ready().isEmpty()) {
      if (process().isEmpty()) {
        String last =
            said()
                .filter(line -> !line.isBlank() && !line.equals(ENDING))
                .reduce((a, b) -> b)
                .orElse("it ended");
        throw new IOException(name + " does not start: " + last + logged(List.of()));
      }
      for (DaemonProcess needed : needs) {
        needed.startAgain();
      }
      if (System.nanoTime() > end) {
        throw new IOException(
            name
                + " is not ready after "
                + TimeUnit.NANOSECONDS.toSeconds(START_NANOS)
                + " s"
                + logged(needs));
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Waits for the end if it is ending. Kills it when it does not end within 10 s. */
  public void awaitEnd() throws IOException {
    if (isEnding()) {
      stop();
    }
  }

  /** Starts it again when it does not run or is ending, and waits until it serves. */
  void startAgain() throws IOException {
    awaitEnd();
    if (process().isEmpty()) {
      start();
      awaitReady();
    }
  }

  /** The last log lines of this daemon and of those in {@code needs}, for an error message. */
  String logged(List<DaemonProcess> needs) throws IOException {
    StringBuilder text = new StringBuilder(" (see " + log.getParent() + ")");
    for (DaemonProcess d : Stream.concat(Stream.of(this), needs.stream()).toList()) {
      List<String> lines =
          Files.exists(d.log)
              ? Files.readAllLines(d.log, StandardCharsets.ISO_8859_1).stream()
                  .filter(LOG_LINE.asPredicate())
                  .toList()
              : List.of();
      lines
          .subList(Math.max(0, lines.size() - LAST_LINES), lines.size())
          .forEach(l -> text.append("\n  ").append(d.name).append(": ").append(l));
    }
    return text.toString();
  }

  /** The lines that it printed when it began to serve. */
  public List<String> ready() throws IOException {
    return said().filter(l -> l.startsWith(READY)).toList();
  }

  /** Kills the daemon (kill -9) if it runs. It is gone when this returns. */
  public void kill() throws IOException {
    process().ifPresent(ProcessHandle::destroyForcibly);
    while (process().isPresent()) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Asks the daemon to end if it runs. Does not wait for it. */
  void terminate() throws IOException {
    process().ifPresent(ProcessHandle::destroy);
  }

  /** Asks the daemon to end if it runs. Kills it when it does not end within 10 s. */
  public void stop() throws IOException {
    terminate();
    long end = System.nanoTime() + STOP_NANOS;
    while (process().isPresent()) {
      if (Thread.currentThread().isInterrupted()) {
        throw new IOException("interrupted while stopping " + name);
      }
      if (System.nanoTime() > end) {
        kill();
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    Files.deleteIfExists(pidFile);
  }
}
