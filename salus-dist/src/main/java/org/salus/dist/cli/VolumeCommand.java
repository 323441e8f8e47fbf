package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import org.salus.client.SalusClient;
import org.salus.client.VolumeInfo;
import org.salus.monitor.json.InfoJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * {@code salus volume}: creates, lists, describes, deletes and repairs the volumes of a running
 * cluster.
 */
@Command(
    name = "volume",
    mixinStandardHelpOptions = true,
    subcommands = RepairCommand.class,
    description =
        "Creates, lists, describes, deletes and repairs the volumes of a running cluster, and replaces members of their regions.")
final class VolumeCommand implements Runnable {
  private static final int MAX_REASON = 80;

  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Option(names = "--json", scope = ScopeType.INHERIT, description = "Print JSON, for programs.")
  private boolean json;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "say what to do: create, list, info, accept-losses, delete, replace or repair");
  }

  void with(ClusterOptions cluster, ClientWork work) throws IOException {
    ClientWork.run(work, cluster, salus.verbose(), spec.commandLine().getOut());
  }

  private void print(PrintWriter out, Object value, String human) throws IOException {
    out.println(json ? InfoJson.of(value) : human);
  }

  @Command(
      mixinStandardHelpOptions = true,
      description = "Creates a volume. It reads as zeros and takes no space until it is written.",
      footer = {"", VolumeOption.HELP, "", "Example: salus volume create disk1:100G"})
  private void create(
      @Mixin ClusterOptions cluster,
      @Parameters(
              paramLabel = "NAME:SIZE[:BLOCKSIZE]",
              converter = VolumeOption.Converter.class,
              description = "Size up to 16T; block size 4K (the default) to 256K, a power of two.")
          VolumeOption volume,
      @Option(
              names = "--synced",
              description = "Acknowledge a write when it is on the disks of three DataNodes.")
          boolean synced,
      @Option(
              names = "--strict",
              description =
                  "Acknowledge a write only when it is on three replicas. Without three servers for a region, requests wait.")
          boolean strict,
      @Option(
              names = "--regions",
              paramLabel = "N",
              defaultValue = "0",
              description =
                  "Number of regions over which the blocks are spread, up to 10000. 0 (the default) means one for each region server, at most 8.")
          int regions)
      throws IOException {
    with(
        cluster,
        (client, out) -> {
          try {
            client.create(
                volume.name(),
                volume.size(),
                new SalusClient.CreateOptions(volume.blockSize(), synced, regions, strict));
          } catch (IllegalArgumentException nonsense) {
            throw new ParameterException(spec.commandLine(), nonsense.getMessage(), nonsense);
          }
          print(out, client.info(volume.name()), "made volume " + volume);
        });
  }

  @Command(mixinStandardHelpOptions = true, description = "Lists all volumes.")
  private void list(@Mixin ClusterOptions cluster) throws IOException {
    with(
        cluster,
        (client, out) -> {
          List<VolumeInfo> all = client.infos();
          StringBuilder text =
              new StringBuilder(
                  String.format(
                      "%-24s %8s %6s %-11s %s", "NAME", "SIZE", "BLOCK", "STATE", "MOUNTED BY"));
          for (VolumeInfo v : all) {
            text.append(
                String.format(
                    "%n%-24s %8s %6s %-11s %s%s",
                    v.name(),
                    v.shape() == null ? "-" : Sizes.format(v.shape().size()),
                    v.shape() == null ? "-" : Sizes.format(v.shape().blockSize()),
                    state(v),
                    v.writer() == null ? "-" : v.writer().holder(),
                    v.why().isEmpty() ? "" : ": " + brief(v.why())));
          }
          print(out, all, text.toString());
        });
  }

  /** Shortens a reason to fit one line; {@code salus volume info} prints all of it. */
  private static String brief(String why) {
    return why.length() <= MAX_REASON ? why : why.substring(0, MAX_REASON).strip() + " ...";
  }

  private static String state(VolumeInfo v) {
    return v.deleting() ? "deleting" : v.health();
  }

  @Command(
      mixinStandardHelpOptions = true,
      description = "Describes a volume, its regions and their members.")
  private void info(@Mixin ClusterOptions cluster, @Parameters(paramLabel = "NAME") String name)
      throws IOException {
    with(
        cluster,
        (client, out) -> {
          VolumeInfo v = client.info(name);
          print(out, v, InfoText.of(v, state(v)));
        });
  }

  @Command(
      name = "accept-losses",
      mixinStandardHelpOptions = true,
      description = {
        "Says that you know which acknowledged writes a power cut of all servers has taken from a volume, and have checked what is on it.",
        "'salus volume info' then no longer tells of them. Nothing else changes.",
        "What is found later, or turns out to be worse, is told of again."
      },
      footer = {
        "",
        "Example: salus volume info disk1",
        "         salus volume accept-losses disk1 mount7:40-42"
      })
  private void acceptLosses(
      @Mixin ClusterOptions cluster,
      @Parameters(paramLabel = "NAME") String name,
      @Parameters(
              index = "1..*",
              arity = "1..*",
              paramLabel = "LOSS",
              description = "A loss as 'salus volume info' names it at the end of its sentence.")
          List<String> ids)
      throws IOException {
    with(
        cluster,
        (client, out) -> {
          List<VolumeInfo.Loss> seen = LossNames.find(name, ids, client.info(name).losses());
          List<VolumeInfo.Loss> left = client.acceptLosses(name, seen);
          print(
              out,
              Map.of("accepted", name, "losses", seen, "left", left),
              LossNames.words(name, seen, left));
        });
  }

  @Command(mixinStandardHelpOptions = true, description = "Deletes a volume and all its data.")
  private void delete(
      @Mixin ClusterOptions cluster,
      @Parameters(paramLabel = "NAME") String name,
      @Option(
              names = "--force",
              description =
                  "Delete the volume even when it is mounted. The client that has it mounted loses it.")
          boolean force)
      throws IOException {
    with(
        cluster,
        (client, out) -> {
          client.delete(name, force);
          print(out, Map.of("deleted", name), "deleted volume " + name);
        });
  }

  @Command(
      mixinStandardHelpOptions = true,
      description = {
        "Replaces a member of a region, before work on its server or because you suspect it.",
        "Nothing is lost and the volume stays mounted; its requests wait for about a second.",
        "The server keeps its data and may join the region again after half a minute. To prevent that, stop the server first, or have another server take its place."
      },
      footer = {
        "",
        "Example: salus volume replace disk1 0 host3:16020",
        "'salus volume info' shows regions and members."
      })
  private void replace(
      @Mixin ClusterOptions cluster,
      @Parameters(paramLabel = "NAME") String name,
      @Parameters(paramLabel = "REGION") int region,
      @Parameters(paramLabel = "MEMBER") String member)
      throws IOException {
    with(
        cluster,
        (client, out) -> {
          client.replace(name, region, member);
          List<String> members =
              client.info(name).regions().get(region).members().stream()
                  .map(VolumeInfo.Member::node)
                  .toList();
          print(
              out,
              Map.of("region", region, "members", members),
              "region " + region + " of volume " + name + " goes on with " + members);
        });
  }
}
