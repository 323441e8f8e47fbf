package org.salus.dist.cli;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.salus.client.RepairPlan;
import org.salus.client.RepairShape;
import org.salus.client.Repairs;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code salus volume repair}: rebuilds a volume's records in ZooKeeper from its files in HDFS. */
@Command(
    name = "repair",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Rebuilds the records of a volume that ZooKeeper has lost, from the volume's files in HDFS.",
      "Reads the newest certified manifest of every region on the DataNodes and shows what it would"
          + " write. Writes it when you agree."
    },
    footer = {"", Sizes.HELP, "", "Example: salus volume repair disk1 --zookeeper 127.0.0.1:2181"})
final class RepairCommand implements Callable<Integer> {
  @ParentCommand private VolumeCommand volume;

  @Spec private CommandSpec spec;

  @Mixin private ClusterOptions cluster;

  @ArgGroup(multiplicity = "1")
  private Which which;

  @Option(names = "--yes", description = "Write without asking.")
  private boolean yes;

  @Option(
      names = "--without-silent",
      description =
          "Go on without servers that run but do not answer. What only their DataNodes have is then not looked at; the repair still stops where that may be a newer part of a log.")
  private boolean withoutSilent;

  @ArgGroup(
      exclusive = false,
      heading = "Shape of a volume whose HDFS directory does not note it:%n")
  private Shape shape;

  /** The volumes to repair. */
  static final class Which {
    @Parameters(paramLabel = "NAME", description = "The volume.")
    private String name;

    @Option(names = "--all", description = "All volumes that have files in HDFS and no records.")
    private boolean all;
  }

  /** The shape of a volume as its user knows it. */
  static final class Shape {
    @Option(
        names = "--size",
        paramLabel = "SIZE",
        required = true,
        converter = SizeConverter.class,
        description = "Size of the volume, for example 100G.")
    private long size;

    @Option(
        names = "--block-size",
        paramLabel = "SIZE",
        required = true,
        converter = SizeConverter.class,
        description = "Size of a block, for example 4K.")
    private long blockSize;

    @Option(
        names = "--regions",
        paramLabel = "N",
        required = true,
        description = "Number of regions.")
    private int regions;

    @Option(
        names = "--segment-size",
        paramLabel = "SIZE",
        required = true,
        converter = SizeConverter.class,
        description = "Size of a log segment, for example 64M.")
    private long segmentSize;

    @Option(names = "--synced", description = "It was made with --synced.")
    private boolean synced;

    @Option(names = "--strict", description = "It was made with --strict.")
    private boolean strict;

    RepairShape value() {
      return new RepairShape(
          size, (int) Math.min(blockSize, Integer.MAX_VALUE), regions, synced, strict, segmentSize);
    }
  }

  /** Parses sizes for picocli. */
  static final class SizeConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      try {
        return Sizes.parse(text);
      } catch (IllegalArgumentException nonsense) {
        throw new TypeConversionException(nonsense.getMessage());
      }
    }
  }

  @Override
  public Integer call() throws IOException {
    if (which.all && shape != null) {
      throw new ParameterException(
          spec.commandLine(), "--all takes no shape: name the volume that has this shape");
    }
    int[] code = {0};
    volume.with(
        cluster,
        (client, out) -> {
          Repairs repairs = client.repairs();
          List<RepairPlan> plans = new ArrayList<>();
          for (String name : which.all ? repairs.withoutRecords() : List.of(which.name)) {
            plans.add(repairs.plan(name, shape == null ? null : shape.value(), withoutSilent));
          }
          plans.forEach(plan -> print(out, plan));
          if (plans.isEmpty()) {
            out.println("every volume that has files in HDFS has its records");
          } else if (isAgreed(out)) {
            for (RepairPlan plan : plans) {
              repairs.run(plan);
              out.println("volume " + plan.spec().name() + " has its records again and serves");
            }
          } else {
            out.println("nothing is changed");
            code[0] = Salus.FAILED;
          }
        });
    return code[0];
  }

  private static void print(PrintWriter out, RepairPlan plan) {
    out.println(
        "volume "
            + plan.spec().name()
            + String.format(" (id %016x): ", plan.spec().id())
            + Sizes.format(plan.spec().size())
            + " in blocks of "
            + Sizes.format(plan.spec().blockSize())
            + ", "
            + plan.spec().regionCount()
            + " regions, "
            + (plan.spec().synced() ? "synced" : "replicated")
            + (plan.spec().strict() ? ", strict" : "")
            + ", segments of "
            + Sizes.format(plan.spec().segmentBytes())
            + " ("
            + plan.shapeFrom()
            + ")");
    out.println(
        "  would write: the volume's record; its next mount epoch is " + (plan.mountEpoch() + 1));
    if (!plan.silent().isEmpty()) {
      out.println("  the servers " + plan.silent() + " did not answer what their DataNodes have");
    }
    for (RepairPlan.Region r : plan.regions()) {
      out.println(
          "  would serve again: region "
              + r.index()
              + ", whose newest certified manifest is of epoch "
              + r.served()
              + " with "
              + r.segments()
              + " segments and "
              + r.checkpoints()
              + " checkpoints: holders "
              + r.holders()
              + (r.missing().isEmpty() ? "" : ", without " + r.missing()));
    }
  }

  private boolean isAgreed(PrintWriter out) throws IOException {
    if (yes) {
      return true;
    }
    Console console = System.console();
    if (console == null) {
      throw new IOException(
          "nothing is changed: there is no terminal to ask on; give --yes to write this");
    }
    out.print("Write this? Nobody may use another copy of the volume. [y/N] ");
    out.flush();
    return "y"
        .equalsIgnoreCase(String.valueOf(new BufferedReader(console.reader()).readLine()).strip());
  }
}
