package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.salus.dist.map.MappedVolume;
import org.salus.dist.map.Mapper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus unmap}: detaches what {@code salus map} has attached. */
@Command(
    name = "unmap",
    mixinStandardHelpOptions = true,
    description = {
      "Writes out what the kernel holds of a device, detaches it, and stops the bridge that 'salus map' has started. As root.",
      "It refuses a device that is in use, and one that cannot be written out.",
      "'salus map --all --again', as the timer runs it, leaves a volume unmapped that was named, until you map it. After 'salus unmap --all', it maps all: stop salus-map.service instead.",
      "While the cluster is away, writing out waits for it as long as requests do: 'salus map --timeout'."
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

  @Parameters(
      paramLabel = "VOLUME|DEVICE",
      arity = "0..1",
      description = "The volume, or its device as /dev/nbdN.")
  private String target;

  @Option(names = "--all", description = "All that is mapped.")
  private boolean all;

  @Option(
      names = "--force",
      description =
          "Detach a device in use, and one that cannot be written out. What is not written out is lost.")
  private boolean force;

  @Option(
      names = "--umount",
      description = "Unmount file systems of the device first, as a shutdown of the machine does.")
  private boolean umount;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Logging.quiet(salus.verbose());
    PrintWriter err = spec.commandLine().getErr();
    if (all == (target != null)) {
      throw new ParameterException(
          spec.commandLine(),
          all ? "leave '" + target + "' or --all out" : "name a volume, or give --all");
    }
    Mapper mapper = run.mapper(err);
    if (!all) {
      umountFirst(mapper, target);
      mapper.unmap(target, force);
      return 0;
    }
    List<Callable<String>> tasks = new ArrayList<>();
    for (MappedVolume m : mapper.mapped()) {
      tasks.add(() -> unmapOneOfAll(mapper, m.volume()));
    }
    return AtOnce.run(tasks, done -> {}, err);
  }

  private void umountFirst(Mapper mapper, String volume) throws IOException {
    if (umount) {
      mapper.umount(volume);
    }
  }

  private String unmapOneOfAll(Mapper mapper, String volume) throws IOException {
    try {
      umountFirst(mapper, volume);
      mapper.unmapForNow(volume, force);
      return volume;
    } catch (IOException failed) {
      throw new IOException(volume + ": " + failed.getMessage(), failed);
    }
  }
}
