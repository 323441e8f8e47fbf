package org.salus.dist.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.client.VolumeInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus top}: watches volumes in a terminal. */
@Command(
    name = "top",
    mixinStandardHelpOptions = true,
    description = {
      "Watches volumes: their health and why, changes and bytes that are written a second, and the space of all replicas.",
      "Volumes that are not healthy come first, then the busiest. Ends with Ctrl-C. In a terminal each look takes the place of the one before.",
      "A change is a block that is written or zeroed. So BYTES/S is an upper bound."
    },
    footer = {
      "",
      "Examples: salus top",
      "          salus top disk1 disk2 --interval 5",
      "          salus top --count 2 > looks.txt"
    })
final class TopCommand implements Callable<Integer> {
  private static final int LEAST_SECONDS = 1;
  private static final int MOST_SECONDS = 3600;

  /** The heading, and a volume. */
  private static final int LEAST_LINES = 6;

  /** Clears the screen; lines that are too long are cut, so that nothing scrolls. */
  private static final String CLEAR = "\033[?7l\033[H\033[2J";

  /** Lets the terminal wrap lines again. */
  private static final String WRAP = "\033[?7h";

  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Mixin private ClusterOptions cluster;

  @Parameters(paramLabel = "NAME", arity = "0..*", description = "Only these volumes.")
  private List<String> names = List.of();

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "2",
      description = "Time between two looks (default: ${DEFAULT-VALUE}).")
  private int interval;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "0",
      description = "End after so many looks; 0 (the default) means never.")
  private int count;

  @Override
  public Integer call() throws IOException {
    if (interval < LEAST_SECONDS || interval > MOST_SECONDS) {
      throw new ParameterException(
          spec.commandLine(),
          "--interval must be " + LEAST_SECONDS + " to " + MOST_SECONDS + ", not " + interval);
    }
    if (count < 0) {
      throw new ParameterException(spec.commandLine(), "--count must not be negative");
    }
    ClientWork.run(this::watch, cluster, salus.verbose(), spec.commandLine().getOut());
    return 0;
  }

  private void watch(SalusClient client, PrintWriter out) throws IOException {
    boolean isTerminal = System.console() != null;
    if (isTerminal) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.print(WRAP)));
    }
    TopTable table = new TopTable();
    for (int looks = 1; ; looks++) {
      String look = look(client, table);
      out.print(isTerminal ? CLEAR + TopTable.cut(look, height() - 1) : look);
      out.println();
      Output.flush(out);
      if (looks == count) {
        return;
      }
      pause();
    }
  }

  /** The cluster may be away for a while. */
  private String look(SalusClient client, TopTable table) {
    try {
      List<VolumeInfo> all = client.infos(names.isEmpty() ? client.list() : names);
      List<String> absent =
          names.stream().filter(n -> all.stream().noneMatch(v -> v.name().equals(n))).toList();
      return table.of(all, absent, Instant.now(), System.nanoTime());
    } catch (SalusException.Unavailable away) {
      return "salus top, " + Instant.now() + ": " + away.getMessage();
    }
  }

  /** The lines of the terminal, which a user may change. */
  private static int height() throws IOException {
    try {
      Process stty =
          new ProcessBuilder("stty", "size").redirectInput(ProcessBuilder.Redirect.INHERIT).start();
      String[] size = new String(stty.getInputStream().readAllBytes(), US_ASCII).split(" ");
      stty.waitFor();
      int lines = Integer.parseInt(size[0].strip());
      return lines > LEAST_LINES ? lines : Integer.MAX_VALUE; // 0: it does not know
    } catch (IOException | NumberFormatException unknown) {
      return Integer.MAX_VALUE;
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }

  private void pause() throws IOException {
    try {
      TimeUnit.SECONDS.sleep(interval);
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }
}
