package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.salus.dist.map.MappedVolume;
import org.salus.dist.map.Mapper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus unmap}: detaches what {@code salus map} has attached. */
@Command(
    name = "unmap",
    mixinStandardHelpOptions = true,
    description = {
      "Writes out what the kernel holds of a device, detaches it, and stops the bridge that 'salus map' has started. As root.",
      "It refuses a device that is in use, and one whose bridge does not answer."
    },
    footer = {
      "",
      "Examples:",
      "  salus unmap disk1",
      "  salus unmap /dev/nbd0",
      "  salus unmap --all"
    })
final class UnmapCommand implements Callable<Integer> {
  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Mixin private RunDirOption run;
  @Mixin private SaltabOption table;

  @Parameters(
      paramLabel = "VOLUME|DEVICE",
      arity = "0..1",
      description = "The volume, or its device.")
  private String target;

  @Option(
      names = "--force",
      description =
          "Detach a device in use, and one whose bridge does not answer. What is not written out is lost.")
  private boolean force;

  @Override
  public Integer call() throws IOException {
    Logging.quiet(salus.verbose());
    PrintWriter err = spec.commandLine().getErr();
    if (!table.all(spec.commandLine(), target)) {
      run.mapper(err).unmap(target, force);
      return 0;
    }
    int code = 0;
    List<SaltabOption.Entry> entries = table.entries();
    Collections.reverse(entries);
    Mapper mapper = run.mapper(err);
    Set<String> mapped =
        mapper.mapped().stream().map(MappedVolume::volume).collect(Collectors.toSet());
    for (SaltabOption.Entry e : entries) {
      try {
        if (mapped.contains(e.request().volume())) {
          mapper.unmap(e.request().volume(), force);
        }
      } catch (IOException failed) {
        Salus.say(err, e.place() + ": " + failed.getMessage());
        code = Salus.FAILED;
      }
    }
    return code;
  }
}
