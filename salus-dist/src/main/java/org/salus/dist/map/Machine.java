package org.salus.dist.map;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the commands touch of a machine.
 *
 * @param sys where sysfs is
 * @param dev where device files are
 * @param proc where procfs is
 * @param isRoot whether this process may attach devices
 * @param programs what runs programs
 */
public record Machine(Path sys, Path dev, Path proc, boolean isRoot, Programs programs) {
  /** This machine. */
  public static Machine local() throws IOException {
    Path proc = Path.of("/proc");
    return new Machine(
        Path.of("/sys"),
        Path.of("/dev"),
        proc,
        (int) Files.getAttribute(proc.resolve("self"), "unix:uid") == 0,
        new LocalPrograms());
  }
}
