package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.salus.dist.map.Machine;
import org.salus.dist.map.Mapper;
import picocli.CommandLine.Option;

/** The option that says where mapped volumes have their files, as a mixin. */
final class RunDirOption {
  @Option(
      names = "--run-dir",
      paramLabel = "DIR",
      defaultValue = "/run/salus",
      description =
          "Where mappings and the bridges of 'salus map' have their files. A restart of the machine must empty it (default: ${DEFAULT-VALUE}).")
  private Path dir;

  /** What maps volumes on this machine. A bridge gets no signals of this terminal. */
  Mapper mapper(PrintWriter err) throws IOException {
    Machine machine = Machine.local();
    List<String> on = new ArrayList<>(List.of("setsid"));
    on.addAll(machine.apart());
    return new Mapper(machine, dir, on, sentence -> Salus.say(err, sentence));
  }
}
