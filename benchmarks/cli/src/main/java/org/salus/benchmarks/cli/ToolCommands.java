package org.salus.benchmarks.cli;

import java.util.List;
import org.salus.dist.cli.Subcommands;
import org.salus.sim.cli.ExploreCommand;
import org.salus.sim.cli.SimCommand;

/** The commands for developers and researchers. */
public final class ToolCommands implements Subcommands {
  @Override
  public List<Object> commands() {
    return List.of(new BenchCommand(), new SimCommand(), new ExploreCommand(), new FaultsCommand());
  }
}
