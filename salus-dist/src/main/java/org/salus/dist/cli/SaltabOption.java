package org.salus.dist.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.salus.dist.map.MapRequest;
import org.salus.dist.map.Saltab;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options for all volumes of a table, as a mixin. */
final class SaltabOption {
  @Option(names = "--all", description = "All volumes of the file of --saltab, instead of one.")
  private boolean all;

  @Option(
      names = "--saltab",
      paramLabel = "FILE",
      defaultValue = "/etc/salus/saltab",
      description = {
        "The file for --all. Paths in it begin with /. Each line has a volume and options of 'salus map', as in its command line. A word in double quotes may have blanks; '#' begins a comment.",
        "Default: ${DEFAULT-VALUE}."
      })
  private Path file;

  /**
   * A line of the table.
   *
   * @param request what it asks for; null if it is wrong
   * @param problem what is wrong, with file and line; null if nothing is
   */
  record Entry(String place, MapRequest request, IOException problem) {}

  /** Checks that there is either a name or --all. */
  boolean all(CommandLine command, String name) {
    if (all == (name != null)) {
      throw new ParameterException(
          command, all ? "leave '" + name + "' or --all out" : "name a volume, or give --all");
    }
    return all;
  }

  /**
   * All lines of the table. A wrong one does not keep the others from being used.
   *
   * @throws IOException when the table cannot be read
   */
  List<Entry> entries() throws IOException {
    List<Entry> entries = new ArrayList<>();
    Map<String, String> places = new HashMap<>();
    for (Saltab.Line line : Saltab.read(file)) {
      try {
        entries.add(new Entry(line.place(), request(line, places), null));
      } catch (IOException wrong) {
        entries.add(new Entry(line.place(), null, wrong));
      }
    }
    return entries;
  }

  /** The devices that the lines name. */
  static Set<String> devices(List<Entry> entries) {
    return entries.stream()
        .filter(e -> e.request() != null && e.request().device() != null)
        .map(e -> e.request().device())
        .collect(Collectors.toSet());
  }

  /**
   * The devices that the table names; none if there is no table.
   *
   * @throws IOException when the table cannot be read, with a way out for one volume
   */
  Set<String> devices() throws IOException {
    if (!Files.exists(file)) {
      return Set.of();
    }
    try {
      return devices(entries());
    } catch (IOException unreadable) {
      throw new IOException(
          unreadable.getMessage()
              + "; so it is not known which devices it names: mend it, or choose one by --device",
          unreadable);
    }
  }

  private static MapRequest request(Saltab.Line line, Map<String, String> places)
      throws IOException {
    MapRequest request;
    try {
      request = MapCommand.request(line.words());
    } catch (ParameterException | IllegalArgumentException wrong) {
      throw new IOException(line.place() + ": " + wrong.getMessage(), wrong);
    }
    requireNew(places, request.volume(), line.place());
    if (request.device() != null) {
      requireNew(places, "/dev/" + request.device(), line.place());
    }
    return request;
  }

  private static void requireNew(Map<String, String> places, String what, String place)
      throws IOException {
    String before = places.putIfAbsent(what, place);
    if (before != null) {
      throw new IOException(place + ": " + what + " stands in " + before + " already");
    }
  }
}
