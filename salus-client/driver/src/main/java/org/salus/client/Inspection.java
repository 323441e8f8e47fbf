package org.salus.client;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.salus.client.cluster.Nodes;
import org.salus.core.Reason;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.path.FilePath;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.DaemonThreads;
import org.salus.host.zk.ClusterReports;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DamageRecord;
import org.salus.host.zk.ScrubRecord;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeDirectory;
import org.salus.host.zk.VolumeRecord;
import org.salus.host.zk.WaitsRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Describes volumes from the cluster's records, their members' answers and the servers' scrub
 * records. Several threads may each ask about a volume.
 */
final class Inspection {
  private static final Logger LOG = LoggerFactory.getLogger(Inspection.class);

  /**
   * Most times that members are asked. They are not asked at one moment, so they may differ without
   * fault; then they are asked again.
   */
  private static final int ROUNDS = 4;

  /** Most threads that ask for volumes' states side by side; they mostly wait for answers. */
  private static final int LIST_THREADS = 64;

  private final ClusterStore store;
  private final Nodes nodes;

  /** What is wrong with tables of HBase, by volume. */
  private final Map<String, Reason> tables;

  /** What keeps all volumes from what they should do. */
  private final Optional<Reason> trouble;

  /** Several threads ask at the same time, and each needs a signer of its own. */
  private final byte[] secret;

  private final long deadline;

  /** The servers' scrub records, which are the same for all volumes; null before they are read. */
  private Map<String, ScrubRecord> scrubs;

  /** What waits in each region, by the names of the servers; null before it is read. */
  private Map<At, Map<String, List<Wait>>> waits;

  /** A region by its volume's name. */
  private record At(String volume, int region) {}

  /** One look at all regions. */
  private record Look(
      List<RrsRecord> records, List<List<StatusReply>> replies, List<Health> health) {
    boolean isPassing() {
      boolean compared = replies.stream().allMatch(Health::rootsCompared);
      return health.stream().anyMatch(Health::passing)
          || !compared && health.stream().allMatch(h -> h.state() == Health.State.HEALTHY);
    }
  }

  /**
   * @param patience the longest time to wait for answers; after it, those that came must do
   */
  Inspection(ClusterStore store, Nodes nodes, byte[] secret, Duration patience) {
    this.store = store;
    this.secret = secret;
    this.nodes = nodes;
    this.deadline = System.nanoTime() + patience.toNanos();
    this.tables = StoreFailures.typed(store, "", () -> store.reports().tables());
    this.trouble = StoreFailures.typed(store, "", () -> store.reports().trouble());
  }

  private synchronized Map<String, ScrubRecord> scrubs() {
    if (scrubs == null) {
      scrubs = StoreFailures.typed(store, "", () -> store.reports().scrubs());
    }
    return scrubs;
  }

  private synchronized Map<String, List<Wait>> waits(String volume, int region) {
    if (waits == null) {
      Map<String, ClusterReports.NotedWaits> noted =
          StoreFailures.typed(store, "", () -> store.reports().waits());
      waits = new HashMap<>();
      noted.forEach(this::take);
    }
    return waits.getOrDefault(new At(volume, region), Map.of());
  }

  private void take(String node, ClusterReports.NotedWaits noted) {
    for (WaitsRecord.Waits w : noted.record().waits()) {
      waits
          .computeIfAbsent(new At(w.volume(), w.region()), at -> new TreeMap<>())
          .computeIfAbsent(node, n -> new ArrayList<>())
          .add(Wait.of(w, noted.ageMillis()));
    }
  }

  /**
   * Describes several volumes side by side, in their order. One that does not exist is left out.
   */
  List<VolumeInfo> infos(Collection<String> names) {
    ExecutorService askers =
        Executors.newFixedThreadPool(
            Math.max(1, Math.min(names.size(), LIST_THREADS)), DaemonThreads.named("salus-info"));
    try {
      return names.stream()
          .map(name -> CompletableFuture.supplyAsync(() -> present(name, this::info), askers))
          .toList()
          .stream()
          .flatMap(asked -> asked.join().stream())
          .toList();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof SalusException known ? known : failed;
    } finally {
      askers.shutdownNow();
    }
  }

  /** The volume's description; empty when the volume was deleted after it was listed. */
  static Optional<VolumeInfo> present(String name, Function<String, VolumeInfo> info) {
    try {
      return Optional.of(info.apply(name));
    } catch (SalusException.NotFound deleted) {
      return Optional.empty();
    } catch (SalusException.Incompatible other) {
      return Optional.of(VolumeInfo.unreadable(name, other.getMessage()));
    } catch (SalusException.Unavailable failed) {
      if (failed.getCause() instanceof ClusterStoreException.Unreachable) {
        throw failed;
      }
      return Optional.of(VolumeInfo.unreadable(name, failed.getMessage()));
    } catch (SalusException other) {
      throw other;
    } catch (RuntimeException junk) { // the other volumes are to be seen all the same
      LOG.warn("the records of volume {} cannot be read", name, junk);
      return Optional.of(VolumeInfo.unreadable(name, "a record cannot be read: " + junk));
    }
  }

  VolumeInfo info(String name) {
    VolumeRecord v = StoreFailures.typed(store, name, () -> store.volume(name));
    VolumeSpec s = v.spec();
    VolumeInfo.Writer writer =
        StoreFailures.typed(store, name, () -> store.writer(name))
            .map(Versioned::value)
            .map(
                w ->
                    new VolumeInfo.Writer(
                        w.holder(), Instant.ofEpochMilli(w.since()), w.mountEpoch()))
            .orElse(null);
    Map<String, ScrubRecord> scrubs = scrubs();
    Optional<DamageRecord> damage =
        StoreFailures.typed(store, name, () -> store.reports().damage(name))
            .filter(d -> d.volume() == s.id());
    List<VolumeInfo.Loss> losses =
        VolumeInfo.Loss.of(StoreFailures.typed(store, name, () -> store.reports().losses(s)));
    Look look = look(s);
    for (int i = 1; i < ROUNDS && look.isPassing() && System.nanoTime() < deadline; i++) {
      SalusClient.pause();
      look = look(s);
    }
    List<VolumeInfo.Region> regions = new ArrayList<>();
    List<Health> health = new ArrayList<>();
    for (int r = 0; r < s.regionCount(); r++) {
      VolumeInfo.Finding finding = finding(s, r, scrubs);
      Health h = withFinding(withDamage(look.health.get(r), r, damage), finding);
      health.add(h);
      regions.add(region(name, r, look.records.get(r), look.replies.get(r), h, finding));
    }
    Health worst =
        v.state() == VolumeRecord.State.RESTORING
            ? Health.restoring(name)
            : Health.worst(health)
                .withLosses(name, losses)
                .with(Optional.ofNullable(tables.get(name)))
                .with(trouble);
    return new VolumeInfo(
        name,
        String.format("%016x", s.id()),
        new VolumeInfo.Shape(s.size(), s.blockSize(), s.synced(), s.strict(), s.segmentBytes()),
        v.state() == VolumeRecord.State.DELETING || v.state() == VolumeRecord.State.DELETED,
        text(worst),
        worst.why(),
        writer,
        StoreFailures.typed(store, name, () -> store.reports().confirmed(s))
            .map(c -> new VolumeInfo.Confirmed(Instant.ofEpochMilli(c.at()), c.wentBackBy()))
            .orElse(null),
        losses,
        regions,
        scrubs(look.records, scrubs));
  }

  private Look look(VolumeSpec s) {
    List<RrsRecord> records = new ArrayList<>();
    for (int r = 0; r < s.regionCount(); r++) {
      int region = r;
      Optional<Versioned<RrsRecord>> now =
          StoreFailures.typed(
              store, s.name(), () -> VolumeDirectory.read(store, s, region, new Signer(secret)));
      records.add(now.map(Versioned::value).orElse(null));
    }
    StatusQuestion asked = StatusQuestion.ask(s, records, nodes, deadline);
    List<List<StatusReply>> replies = new ArrayList<>();
    List<Health> health = new ArrayList<>();
    for (int r = 0; r < s.regionCount(); r++) {
      RrsRecord rrs = records.get(r);
      replies.add(asked.replies(s, r, rrs == null ? 0 : rrs.members().size()));
      health.add(Health.of(rrs, replies.get(r)));
    }
    return new Look(records, replies, health);
  }

  private static Health withDamage(Health h, int region, Optional<DamageRecord> damage) {
    Optional<DamageRecord.Damage> of =
        damage.flatMap(d -> d.regions().stream().filter(x -> x.region() == region).findFirst());
    return of.isPresent() && h.state() == Health.State.HEALTHY
        ? new Health(Health.State.DEGRADED, text(of.get()), false)
        : h;
  }

  private static String text(DamageRecord.Damage d) {
    String more =
        d.count() > d.first().size() ? " and " + (d.count() - d.first().size()) + " more" : "";
    return "no member has the blocks "
        + d.first()
        + more
        + " as the volume tree says, at "
        + instant(d.at())
        + ": "
        + d.what();
  }

  private static Health withFinding(Health h, VolumeInfo.Finding finding) {
    boolean open = finding != null && !finding.repaired() && h.state() == Health.State.HEALTHY;
    return open
        ? new Health(
            Health.State.DEGRADED,
            finding.path() + " on the DataNode of " + finding.node() + ": " + finding.what(),
            false)
        : h;
  }

  private static String text(Health h) {
    return h.state().name().toLowerCase(Locale.ROOT);
  }

  /** The servers that have no member, and where requests have lately waited long. */
  private List<VolumeInfo.Former> former(String volume, int region, List<String> members) {
    return waits(volume, region).entrySet().stream()
        .filter(e -> !members.contains(e.getKey()))
        .map(e -> new VolumeInfo.Former(e.getKey(), List.copyOf(e.getValue())))
        .toList();
  }

  private VolumeInfo.Region region(
      String name,
      int index,
      RrsRecord rrs,
      List<StatusReply> replies,
      Health h,
      VolumeInfo.Finding finding) {
    if (rrs == null) {
      return new VolumeInfo.Region(
          index,
          0,
          "NONE",
          "no members chosen yet",
          text(h),
          h.why(),
          null,
          Map.of(),
          finding,
          List.of(),
          former(name, index, List.of()));
    }
    List<VolumeInfo.Member> members = new ArrayList<>();
    for (int i = 0; i < rrs.members().size(); i++) {
      RrsRecord.Member m = rrs.members().get(i);
      members.add(
          new VolumeInfo.Member(
              m.node(),
              m.dataNode(),
              StatusQuestion.status(replies.get(i)),
              List.copyOf(waits(name, index).getOrDefault(m.node(), List.of()))));
    }
    Map<String, Integer> replacements = new TreeMap<>();
    rrs.history().replacements().forEach((cause, n) -> replacements.put(cause.name(), n));
    return new VolumeInfo.Region(
        index,
        rrs.epoch(),
        rrs.state().name(),
        rrs.note(),
        text(h),
        h.why(),
        instant(rrs.history().since()),
        replacements,
        finding,
        members,
        former(name, index, rrs.nodes()));
  }

  private static Instant instant(long millis) {
    return millis == 0 ? null : Instant.ofEpochMilli(millis);
  }

  /**
   * The newest unrepaired bad replica of a region's files, else the newest repaired one, or null.
   */
  private static VolumeInfo.Finding finding(
      VolumeSpec s, int region, Map<String, ScrubRecord> scrubs) {
    List<VolumeInfo.Finding> all = new ArrayList<>();
    scrubs.forEach(
        (node, record) -> {
          for (ScrubRecord.Finding f : record.findings()) {
            FilePath path = f.path() == null ? null : FilePath.parse(f.path());
            if (path != null && path.region().equals(s.regionId(region))) {
              all.add(
                  new VolumeInfo.Finding(
                      Instant.ofEpochMilli(f.at()), node, f.path(), f.repaired(), f.what()));
            }
          }
        });
    return all.stream()
        .max(
            Comparator.comparing((VolumeInfo.Finding f) -> !f.repaired())
                .thenComparing(VolumeInfo.Finding::at))
        .orElse(null);
  }

  private static List<VolumeInfo.Scrub> scrubs(
      List<RrsRecord> records, Map<String, ScrubRecord> scrubs) {
    Set<String> members = new HashSet<>();
    records.stream().filter(r -> r != null).forEach(r -> members.addAll(r.nodes()));
    List<VolumeInfo.Scrub> all = new ArrayList<>();
    scrubs.forEach(
        (node, r) -> {
          if (members.contains(node)) {
            all.add(
                new VolumeInfo.Scrub(
                    node,
                    r.passes(),
                    r.running(),
                    instant(r.began()),
                    instant(r.ended()),
                    r.after(),
                    r.passFiles(),
                    r.passBytes(),
                    r.bytes(),
                    r.bad(),
                    r.repaired()));
          }
        });
    return all;
  }
}
