package org.salus.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.log.LogRecord;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Permission;
import org.salus.core.message.Message.Holding;
import org.salus.core.message.Message.HoldingsReply;
import org.salus.core.path.SpecName;
import org.salus.core.path.VolumePath;
import org.salus.core.wire.MalformedException;
import org.salus.host.zk.ServerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Works out the records of a volume that ZooKeeper has lost, from the volume's files in HDFS and
 * their replicas on the DataNodes. Refuses when a file that a record would promise is missing.
 * Changes nothing itself.
 */
final class VolumeRepair {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeRepair.class);
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Duration LONG_PATIENCE = Duration.ofMinutes(5);

  /**
   * Added to the newest mount epoch that left a trace, so that none is ever used twice. It is more
   * than can have been opened since.
   */
  static final int GAP = 1 << 20;

  /** What servers say about their disks. */
  interface Disks {
    /**
     * The paths of volumes' files in HDFS, from the first server that answers.
     *
     * @throws SalusException.Unavailable when no server can tell
     */
    List<String> inventory(List<String> servers, Duration patience);

    /**
     * Each server's report of a region's log on its DataNode. Servers that do not answer are
     * missing.
     */
    Map<String, HoldingsReply> holdings(
        List<String> servers, String volume, RegionId region, Duration patience);
  }

  private final Disks survey;
  private final Map<String, ServerRecord> servers;
  private final Signer signer;

  /**
   * @param servers those that are registered, by name
   */
  VolumeRepair(Disks survey, Map<String, ServerRecord> servers, byte[] secret) {
    this.survey = survey;
    this.servers = servers;
    this.signer = new Signer(secret);
  }

  /** The volumes that have a directory in HDFS. */
  List<VolumePath> onDisk() {
    return inventory().stream()
        .map(p -> VolumePath.parse(VolumePath.ROOT + "/" + p))
        .filter(Objects::nonNull)
        .toList();
  }

  private List<String> inventory() {
    return survey.inventory(List.copyOf(servers.keySet()), PATIENCE);
  }

  /**
   * Works out what to write for a volume.
   *
   * @param shape the shape of a volume whose directory in HDFS does not note it; else null
   * @param withoutSilent whether to go on without servers that do not answer
   */
  RepairPlan plan(VolumePath volume, RepairShape shape, boolean withoutSilent) {
    String directory = volume.path().substring(VolumePath.ROOT.length() + 1) + "/";
    List<String> inside =
        inventory().stream()
            .filter(p -> p.startsWith(directory))
            .map(p -> p.substring(directory.length()))
            .toList();
    VolumeSpec noted = noted(volume, inside);
    if (noted == null && shape == null) {
      throw new SalusException.Incomplete(
          "HDFS does not have the shape of volume "
              + volume.volume()
              + " under this salus.secret: look whether the secret is right, or give its"
              + " RepairShape (it has "
              + regions(inside)
              + " region directories)");
    }
    VolumeSpec spec = noted != null ? noted : shape.of(volume);
    List<RepairPlan.Region> regions = new ArrayList<>();
    TreeSet<String> silent = new TreeSet<>();
    long mountEpoch = 0;
    for (int r = 0; r < spec.regionCount(); r++) {
      LOG.info("volume {}: reading the log of region {} of {}", spec.name(), r, spec.regionCount());
      List<String> asked = servers.keySet().stream().filter(n -> !silent.contains(n)).toList();
      Map<String, HoldingsReply> held =
          survey.holdings(asked, spec.name(), spec.regionId(r), LONG_PATIENCE);
      asked.stream().filter(node -> !held.containsKey(node)).forEach(silent::add);
      if (!silent.isEmpty() && !withoutSilent) {
        throw new SalusException.Incomplete(
            "volume "
                + spec.name()
                + ": the servers "
                + silent
                + " run but do not answer what their DataNodes have: start them again, or plan with"
                + " withoutSilent to go on without them");
      }
      regions.add(region(spec, r, held));
      mountEpoch =
          held.values().stream().mapToLong(HoldingsReply::mountEpoch).reduce(mountEpoch, Math::max);
    }
    return new RepairPlan(
        spec,
        noted != null ? "noted in HDFS" : "as given",
        mountEpoch + GAP,
        regions,
        List.copyOf(silent));
  }

  private VolumeSpec noted(VolumePath volume, List<String> inside) {
    for (String name : inside) {
      if (SpecName.format(name) >= 0 && SpecName.format(name) != SpecName.FORMAT) {
        throw new SalusException.Incompatible(
            "volume "
                + volume.volume()
                + " was written in format "
                + SpecName.format(name)
                + ", this program reads "
                + SpecName.FORMAT
                + "; use the version of Salus that wrote it");
      }
    }
    return inside.stream()
        .map(name -> SpecName.parse(volume, name, signer))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private static long regions(List<String> inside) {
    return inside.stream().filter(name -> name.matches("\\d{4,}")).count();
  }

  private RepairPlan.Region region(VolumeSpec spec, int index, Map<String, HoldingsReply> held) {
    String what = "region " + index + " of volume " + spec.name();
    held.forEach(
        (node, h) -> {
          if (!h.problem().isEmpty()) {
            throw new SalusException.Incomplete(
                what + ": " + node + " cannot read what it has: " + h.problem());
          }
        });
    Permission newest =
        held.values().stream()
            .map(h -> manifest(spec, index, h))
            .filter(Objects::nonNull)
            .max(
                Comparator.<Permission>comparingInt(p -> p.record().epoch())
                    .thenComparingLong(p -> p.record().at().segment()))
            .orElseThrow(
                () ->
                    new SalusException.Incomplete(
                        what
                            + ": no DataNode of the servers "
                            + held.keySet()
                            + " has a certified manifest of it: start the servers and DataNodes"
                            + " that had the region"));
    ManifestBody manifest = body(newest.record());
    Map<Long, List<Holding>> segments = new LinkedHashMap<>();
    held.values()
        .forEach(
            h ->
                h.segments()
                    .forEach(
                        s -> segments.computeIfAbsent(s.segment(), n -> new ArrayList<>()).add(s)));
    requireFiles(what, newest.record(), manifest, segments, held);
    requireNothingNewer(what, newest.record().at().segment(), segments, held);
    int epoch = newest.record().epoch();
    List<String> holders =
        manifest.members().stream()
            .filter(m -> held.containsKey(m) && has(held.get(m), newest.record()))
            .toList();
    if (holders.isEmpty()) {
      throw new SalusException.Incomplete(
          what
              + ": none of the members of its newest epoch "
              + epoch
              + ", "
              + manifest.members()
              + ", runs and has its log: start one of them and its DataNode");
    }
    List<String> missing = manifest.members().stream().filter(m -> !holders.contains(m)).toList();
    return new RepairPlan.Region(
        index, epoch, holders, missing, segments.size(), manifest.checkpoints().live().size());
  }

  /**
   * The newest manifest that a server reported, or null when it has none or its certificate is
   * wrong.
   */
  private Permission manifest(VolumeSpec spec, int index, HoldingsReply told) {
    if (told.manifest().length == 0) {
      return null;
    }
    try {
      Permission p = Permission.decode(told.manifest());
      boolean right =
          p.record().type() == LogRecord.Type.MANIFEST
              && p.record().region().equals(spec.regionId(index))
              && p.record().certifiedBy(body(p.record()).members(), p.signatures(), signer);
      return right ? p : null;
    } catch (MalformedException garbage) {
      return null;
    }
  }

  private static ManifestBody body(LogRecord manifest) {
    try {
      return ManifestBody.decode(manifest.content());
    } catch (MalformedException e) {
      throw new SalusException.Incomplete(
          "the manifest " + manifest + " cannot be read: " + e.getMessage());
    }
  }

  /**
   * Whether the manifest's segment can be read up to its epoch: from this server's replica, or from
   * a finished file, which can be read anywhere.
   */
  private static boolean has(HoldingsReply h, LogRecord manifest) {
    return h.segments().stream()
        .anyMatch(
            s ->
                s.segment() == manifest.at().segment()
                    && (s.finished() || s.epoch() >= manifest.epoch()));
  }

  private static void requireFiles(
      String what,
      LogRecord newest,
      ManifestBody m,
      Map<Long, List<Holding>> segments,
      Map<String, HoldingsReply> held) {
    TreeSet<String> gone = new TreeSet<>();
    m.segments().stream()
        .filter(s -> !segments.containsKey(s.segment()))
        .forEach(s -> gone.add("log segment " + s.segment()));
    m.checkpoints().live().stream()
        .filter(c -> held.values().stream().noneMatch(h -> h.checkpoints().contains(c.id())))
        .forEach(c -> gone.add("checkpoint " + c.id()));
    if (!gone.isEmpty()) {
      throw new SalusException.Incomplete(
          what
              + ": HDFS does not have "
              + String.join(", ", gone)
              + ", which the newest manifest (epoch "
              + newest.epoch()
              + ", segment "
              + newest.at().segment()
              + ") names: bring the files back, from an HDFS trash or snapshot");
    }
  }

  /**
   * Refuses when a segment after the newest known manifest may exist on a DataNode that did not
   * answer: acknowledged data could be in it.
   */
  private void requireNothingNewer(
      String what,
      long newest,
      Map<Long, List<Holding>> segments,
      Map<String, HoldingsReply> held) {
    List<String> seen = held.keySet().stream().map(node -> servers.get(node).dataNode()).toList();
    segments.forEach(
        (segment, holdings) -> {
          TreeSet<String> unseen = new TreeSet<>();
          holdings.forEach(h -> unseen.addAll(h.dataNodes()));
          unseen.removeAll(seen);
          if (segment > newest && holdings.stream().anyMatch(Holding::finished)) {
            throw new SalusException.Incomplete(
                what
                    + ": log segment "
                    + segment
                    + " is finished, but no DataNode that answers has its certified manifest: start"
                    + " "
                    + unseen
                    + ", or bring a whole replica back");
          }
          if (segment > newest && !unseen.isEmpty()) {
            throw new SalusException.Incomplete(
                what
                    + ": log segment "
                    + segment
                    + " may be on "
                    + unseen
                    + ", which do not answer: start those DataNodes and"
                    + " their servers first");
          }
        });
  }
}
