package org.salus.dist.hbase;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.salus.dist.data.TemporaryDirectory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archive of the classes that daemons load (the JVM's class data sharing). With it a region
 * server starts with half the CPU. One archive serves all kinds of daemons: {@code salus
 * standalone}, which has them all in one process, starts and stops once to make it. The archive is
 * good for one Java and the very jars that it was made from, which its name says.
 */
public final class ClassArchive {
  /**
   * The system property with the directory of archives, which is made when it is missing. Without
   * it there is no archive.
   */
  static final String DIRECTORY_KEY = "salus.daemon.archives";

  private static final Logger LOG = LoggerFactory.getLogger(ClassArchive.class);
  private static final String PREFIX = "daemons-";
  private static final long REHEARSAL_SECONDS = 120;

  private ClassArchive() {}

  /**
   * Makes the archive when it is missing. A failure is only logged, since daemons also start
   * without one.
   *
   * @param classPath the class path of the daemons. The archive has the classes of the jars that it
   *     begins with.
   * @param progress takes a few words when the archive is made
   */
  public static void prepare(String classPath, Consumer<String> progress) {
    List<String> jars = jars(classPath);
    try {
      Path archive = archive(jars);
      if (archive != null && !Files.exists(archive)) {
        make(archive, jars, progress);
      }
    } catch (IOException failed) {
      LOG.info("daemons start without an archive of classes", failed);
    }
  }

  /** The options by which a JVM uses the archive; none when there is none. */
  public static List<String> options(String classPath) throws IOException {
    Path archive = archive(jars(classPath));
    return archive == null || !Files.exists(archive)
        ? List.of()
        : List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds*=off");
  }

  private static List<String> jars(String classPath) {
    return Arrays.stream(classPath.split(File.pathSeparator))
        .takeWhile(entry -> entry.endsWith(".jar"))
        .toList();
  }

  /** Where the archive for these jars belongs; null when there is to be none. */
  private static Path archive(List<String> jars) throws IOException {
    String directory = System.getProperty(DIRECTORY_KEY, "");
    if (directory.isEmpty() || jars.isEmpty()) {
      return null;
    }
    return Path.of(directory).resolve(PREFIX + Long.toHexString(key(jars)) + ".jsa");
  }

  private static long key(List<String> jars) throws IOException {
    CRC32 crc = new CRC32();
    StringBuilder all =
        new StringBuilder(System.getProperty("java.vm.version"))
            .append(System.getProperty("java.home"));
    for (String jar : jars) {
      Path file = Path.of(jar);
      all.append(jar).append(Files.size(file)).append(Files.getLastModifiedTime(file));
    }
    crc.update(all.toString().getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }

  private static void make(Path archive, List<String> jars, Consumer<String> progress)
      throws IOException {
    Path dir = Files.createDirectories(archive.getParent());
    try (FileChannel lock =
            FileChannel.open(
                dir.resolve(PREFIX + "lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = lock.lock()) {
      if (!held.isValid() || Files.exists(archive)) {
        return;
      }
      progress.accept("archiving classes, once, for faster starts");
      Path unfinished = dir.resolve(PREFIX + "unfinished");
      try (TemporaryDirectory data = TemporaryDirectory.create("salus-rehearsal")) {
        rehearse(unfinished, jars, data.path());
        for (Path old : files(dir, PREFIX + "*.jsa")) {
          Files.delete(old);
        }
        Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(unfinished);
      }
    }
  }

  private static List<Path> files(Path dir, String pattern) throws IOException {
    List<Path> found = new ArrayList<>();
    try (var files = Files.newDirectoryStream(dir, pattern)) {
      files.forEach(found::add);
    }
    return found;
  }

  /** Starts all servers in one process, with a volume, and stops them. */
  private static void rehearse(Path archive, List<String> jars, Path data) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      port = free.getLocalPort();
    }
    List<String> command =
        DaemonProcess.java(
            List.of("-Xmx1g", "-XX:TieredStopAtLevel=1", "-XX:ArchiveClassesAtExit=" + archive),
            String.join(File.pathSeparator, jars));
    command.addAll(
        List.of(
            "standalone",
            "--data",
            data.resolve("data").toString(),
            "--volume",
            "rehearsal:16M",
            "--nbd",
            "127.0.0.1:" + port));
    Path said = data.resolve("said");
    Process process = new ProcessBuilder(command).redirectError(said.toFile()).start();
    process
        .onExit()
        .orTimeout(REHEARSAL_SECONDS, TimeUnit.SECONDS)
        .exceptionally(late -> process.destroyForcibly());
    try (BufferedReader out = process.inputReader()) {
      String line = out.readLine();
      process.destroy();
      process.waitFor();
      if (line == null || !Files.exists(archive)) {
        throw new IOException("no archive of classes was made: " + Files.readString(said));
      }
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while archiving classes", cut);
    } finally {
      process.destroyForcibly();
    }
  }
}
