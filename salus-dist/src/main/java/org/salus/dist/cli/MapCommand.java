package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import org.salus.core.VolumeSpec;
import org.salus.dist.map.BridgeAddress;
import org.salus.dist.map.MapRequest;
import org.salus.dist.map.Mapper;
import picocli.CommandLine;
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

/** {@code salus map}: attaches volumes to devices of this machine. */
@Command(
    name = "map",
    mixinStandardHelpOptions = true,
    description = {
      "Makes a volume a block device of this machine, and prints the device. As root.",
      "It starts a bridge for the volume in the background, or uses the one of --bridge. The device survives a restart of the bridge: its requests wait meanwhile.",
      "A volume that is mapped keeps its device. If its bridge has ended, or has given no sign for 60 s, the bridge is started again.",
      "It needs a kernel with CONFIG_BLK_DEV_NBD (Debian: linux-image-amd64 or linux-image-cloud-amd64), its module (modprobe nbd nbds_max=16), and qemu-nbd (Debian: qemu-utils)."
    },
    footer = {
      "",
      "Examples:",
      "  salus map disk1 --conf /etc/salus/cluster.xml",
      "  salus map disk1 --device /dev/nbd0 --bridge unix:/run/bridges/disk1.sock",
      "  salus map --all",
      "See also: salus showmapped, salus unmap"
    })
final class MapCommand implements Callable<Integer> {
  /** The options of a bridge that this command starts. */
  private static final List<String> OF_BRIDGES =
      List.of("--zookeeper", "--data", "--conf", "-D", "--force");

  /** Longer than the start of a bridge and the lease of the one before. */
  private static final int LEAST_TIMEOUT = 20;

  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Mixin private ClusterOptions cluster;
  @Mixin private RunDirOption run;
  @Mixin private SaltabOption table;

  @Parameters(paramLabel = "VOLUME", arity = "0..1", description = "The volume.")
  private String volume;

  @Option(
      names = "--device",
      paramLabel = "DEVICE",
      converter = Device.class,
      description = "The device, such as /dev/nbd0. Default: the first that is free.")
  private String device;

  @Option(names = "--read-only", description = "The device takes no writes.")
  private boolean readOnly;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "3600",
      description =
          "How long requests wait for a bridge or a cluster that is away, 20 or more. After that they fail, and file systems with them (default: ${DEFAULT-VALUE}). For the cluster, it overrides salus.client.request.timeout of the file of --conf; -D overrides both. A bridge of --bridge has its own.")
  private int timeout;

  @Option(
      names = "--bridge",
      paramLabel = "HOST:PORT|unix:PATH",
      converter = Address.class,
      description =
          "A bridge that serves the volume: its --listen, or its --socket. Default: one is started.")
  private BridgeAddress bridge;

  @Option(
      names = "--force",
      description =
          "Take the volume over from a client that has it mounted, for a new mapping. The writes of that client then fail.")
  private boolean force;

  @Option(names = "--quiet", description = "Do not print devices.")
  private boolean quiet;

  @Option(
      names = "--again",
      description =
          "With --all, as the timer runs it: leave out volumes that 'salus unmap VOLUME' has unmapped. Without this option, 'salus map' forgets that.")
  private boolean again;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Logging.quiet(salus.verbose());
    PrintWriter err = spec.commandLine().getErr();
    if (table.all(spec.commandLine(), volume)) {
      return mapAll(table.entries(), run.mapper(err), err);
    }
    if (again) {
      throw new ParameterException(spec.commandLine(), "--again is for --all");
    }
    Set<String> others = device == null ? table.devices() : Set.of();
    print(run.mapper(err).map(request(), others).toString());
    return 0;
  }

  private void print(String line) {
    if (!quiet) {
      spec.commandLine().getOut().println(line);
    }
  }

  /** While the cluster is away, each bridge is waited for until it gives up. */
  private int mapAll(List<SaltabOption.Entry> entries, Mapper mapper, PrintWriter err)
      throws InterruptedException {
    Set<String> named = SaltabOption.devices(entries);
    List<Callable<String>> tasks = new ArrayList<>();
    Set<String> leftOut = new ConcurrentSkipListSet<>();
    for (SaltabOption.Entry e : entries) {
      tasks.add(
          () -> {
            Optional<Path> device = map(e, mapper, named);
            if (device.isEmpty()) {
              leftOut.add(e.request().volume());
            }
            return device.map(file -> e.request().volume() + " " + file).orElse(null);
          });
    }
    int code = AtOnce.run(tasks, line -> Optional.ofNullable(line).ifPresent(this::print), err);
    if (!leftOut.isEmpty()) {
      Salus.say(
          err,
          "left out, for 'salus unmap' has unmapped them: "
              + String.join(", ", leftOut)
              + "; 'salus map' without --again maps them");
    }
    return code;
  }

  private Optional<Path> map(SaltabOption.Entry e, Mapper mapper, Set<String> named)
      throws IOException {
    if (e.problem() != null) {
      throw e.problem();
    }
    try {
      return again
          ? mapper.mapAgain(e.request(), named)
          : Optional.of(mapper.map(e.request(), named));
    } catch (IOException failed) {
      throw new IOException(e.place() + ": " + failed.getMessage(), failed);
    }
  }

  /** What a line of a table asks for. */
  static MapRequest request(List<String> words) {
    MapCommand command = new MapCommand();
    CommandLine line = new CommandLine(command).setExpandAtFiles(false);
    line.parseArgs(words.toArray(String[]::new));
    for (String option :
        List.of("--all", "--again", "--saltab", "--run-dir", "--quiet", "--help", "--version")) {
      if (line.getParseResult().hasMatchedOption(option)) {
        throw new ParameterException(line, option + " cannot stand in a table");
      }
    }
    if (command.force) {
      throw new ParameterException(
          line,
          "--force cannot stand in a table: it would take the volume from another machine at each"
              + " start. A claim of before a restart ends by itself within 10 s");
    }
    if (words.stream().anyMatch(w -> w.matches("(--bridge=)?unix:([^/].*)?"))) {
      throw new ParameterException(line, "write the path of a Unix socket from / on");
    }
    if (command.volume == null) {
      throw new ParameterException(line, "name a volume");
    }
    MapRequest request = command.request();
    if (command.bridge == null) {
      command.cluster.requireAbsolute();
    }
    return request;
  }

  private MapRequest request() {
    try {
      VolumeSpec.requireName(volume);
    } catch (IllegalArgumentException nonsense) {
      throw new ParameterException(spec.commandLine(), nonsense.getMessage(), nonsense);
    }
    if (timeout < LEAST_TIMEOUT) {
      throw new ParameterException(
          spec.commandLine(),
          "--timeout "
              + timeout
              + ": use "
              + LEAST_TIMEOUT
              + " or more; a bridge that goes on after one that was killed may need 10 s");
    }
    for (String option : OF_BRIDGES) {
      if (bridge != null && spec.commandLine().getParseResult().hasMatchedOption(option)) {
        throw new ParameterException(
            spec.commandLine(), option + " is for a bridge that is started; leave --bridge out");
      }
    }
    List<String> arguments = bridge == null ? cluster.words() : List.of();
    return new MapRequest(volume, device, readOnly, timeout, bridge, arguments, force);
  }

  /** Parses addresses of bridges. */
  static final class Address implements ITypeConverter<BridgeAddress> {
    @Override
    public BridgeAddress convert(String text) {
      if (text.startsWith(BridgeAddress.UNIX)) {
        return BridgeAddress.unix(Path.of(text.substring(BridgeAddress.UNIX.length())));
      }
      HostPort address = new HostPort.Converter().convert(text);
      return BridgeAddress.tcp(address.host(), address.port());
    }
  }

  /** Parses names of devices. */
  static final class Device implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      String name = text.replaceFirst("^/dev/", "");
      if (!name.matches("nbd\\d{1,5}")) {
        throw new TypeConversionException("'" + text + "': write for example /dev/nbd0");
      }
      return name;
    }
  }
}
