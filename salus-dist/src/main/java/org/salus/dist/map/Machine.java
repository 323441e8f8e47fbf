package org.salus.dist.map;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the commands touch of a machine.
 *
 * @param sys where sysfs is
 * @param dev where device files are
 * @param proc where procfs is
 * @param isRoot whether this process may attach devices
 * @param programs what runs programs
 * @param apart a command that runs the rest of its line where it outlives the caller's session or
 *     service; empty where nothing ends what they leave behind
 */
public record Machine(
    Path sys, Path dev, Path proc, boolean isRoot, Programs programs, List<String> apart) {
  /**
   * A unit of its own for the rest of the line. At shutdown it ends after file systems with _netdev
   * are unmounted and the service has unmapped its volumes, and before the network and Salus' own
   * servers of this machine go.
   */
  static final List<String> SCOPE =
      List.of(
          "systemd-run",
          "--scope",
          "--quiet",
          "--collect",
          "--slice=system.slice",
          "--property=After=network-online.target time-sync.target salus-zookeeper.service"
              + " salus-namenode.service salus-datanode.service salus-master.service"
              + " salus-regionserver.service",
          "--property=Wants=remote-fs-pre.target",
          "--property=Before=remote-fs-pre.target salus-map.service");

  /** Copies the list. */
  public Machine {
    apart = List.copyOf(apart);
  }

  /** This machine. */
  public static Machine local() throws IOException {
    Path proc = Path.of("/proc");
    return new Machine(
        Path.of("/sys"),
        Path.of("/dev"),
        proc,
        (int) Files.getAttribute(proc.resolve("self"), "unix:uid") == 0,
        new LocalPrograms(),
        apart(Path.of("/run/systemd/system"), proc, System.getenv("PATH")));
  }

  /**
   * What runs programs apart.
   *
   * @param systemd a directory that is there where systemd runs the machine. A container may see
   *     that of its host, whose systemd it cannot ask, so its process 1 counts, too
   * @param proc where procfs is
   * @param path where programs are, as in the environment
   */
  static List<String> apart(Path systemd, Path proc, String path) throws IOException {
    boolean has =
        Files.isDirectory(systemd)
            && Files.readString(proc.resolve("1/comm")).strip().equals("systemd")
            && path != null
            && Stream.of(path.split(File.pathSeparator))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, SCOPE.get(0))));
    return has ? SCOPE : List.of();
  }
}
