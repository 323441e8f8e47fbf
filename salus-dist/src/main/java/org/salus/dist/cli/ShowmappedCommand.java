package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.salus.dist.map.MappedVolume;
import org.salus.monitor.json.InfoJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus showmapped}: lists what {@code salus map} has attached. */
@Command(
    name = "showmapped",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the volumes that are mapped on this machine. As root.",
      "States: 'attached'; 'bridge down', requests wait and 'salus map' starts the bridge again; 'failed', the bridge cannot serve the volume any more, and all requests fail; 'gone', somebody else has detached the device; 'unfinished', it is being mapped, or that was broken off; 'damaged', its file cannot be read."
    },
    footer = {"", "Example: salus showmapped --json"})
final class ShowmappedCommand implements Callable<Integer> {
  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Mixin private RunDirOption run;

  @Option(names = "--json", description = "Print JSON, for programs.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    Logging.quiet(salus.verbose());
    List<MappedVolume> all = run.mapper(spec.commandLine().getErr()).mapped();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(InfoJson.of(all));
      return 0;
    }
    out.printf("%-24s %-12s %-11s %-6s %s%n", "VOLUME", "DEVICE", "STATE", "ACCESS", "BRIDGE");
    all.forEach(
        m ->
            out.printf(
                "%-24s %-12s %-11s %-6s %s%n",
                m.volume(), m.device(), m.state(), m.readOnly() ? "read" : "write", bridge(m)));
    all.stream()
        .filter(m -> !m.problem().isEmpty())
        .forEach(m -> out.println(m.volume() + ": " + m.problem()));
    return 0;
  }

  private static String bridge(MappedVolume m) {
    return m.bridge()
        + (m.ownBridge() && m.bridgeProcess() != 0 ? " (process " + m.bridgeProcess() + ")" : "");
  }
}
