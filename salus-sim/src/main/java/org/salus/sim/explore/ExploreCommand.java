package org.salus.sim.explore;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.salus.sim.SimOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bin/salus explore}. */
@Command(name = "explore", mixinStandardHelpOptions = true)
public final class ExploreCommand implements Callable<Integer> {
  @Option(names = "--scenario", split = ",")
  List<String> names = new ArrayList<>();

  @Option(names = "--states", defaultValue = "20000000")
  long states;

  @Option(names = "--seconds", defaultValue = "300")
  long seconds;

  @Override
  public Integer call() {
    boolean ok = true;
    for (Scenario s : Scenario.standard()) {
      if (names.isEmpty() || names.contains(s.name())) {
        Explorer.Result r = new Explorer(s, SimOptions.standard()).run(new Explorer.Bound(states, seconds), System.err::println);
        System.out.println(r);
        if (r.broken() != null) {
          System.out.println(r.broken());
          r.broken().cause().printStackTrace(System.out);
        }
        ok &= r.isClean();
      }
    }
    return ok ? 0 : 1;
  }

  public static void main(String[] args) {
    System.exit(new picocli.CommandLine(new ExploreCommand()).execute(args));
  }
}
