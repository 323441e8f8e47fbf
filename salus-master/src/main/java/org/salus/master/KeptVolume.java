package org.salus.master;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.salus.core.Lanes;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.MemberChoice;
import org.salus.core.replacement.Suspicions;
import org.salus.core.session.Accusation;
import org.salus.host.config.ClusterSettings;
import org.salus.host.zk.ClusterReports;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStore.RrsChange;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.RrsRecord;
import org.salus.host.zk.RrsRecord.Joining;
import org.salus.host.zk.RrsRecord.Member;
import org.salus.host.zk.RrsRecord.State;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeDirectory;
import org.salus.host.zk.VolumeRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One volume in the master's care: opens the epochs of its regions and chooses their members
 * (§4.2.2, §4.4 phase 1). For one thread.
 */
final class KeptVolume implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeptVolume.class);

  /** The time for which a server that broke an epoch is not asked to join another. */
  private static final long TROUBLE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * The shortest time between two epochs of a region. It doubles for each epoch that did not serve,
   * up to {@link #MOST_DOUBLINGS} times.
   */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The time in which an epoch must open, because reading a log takes seconds. It doubles like
   * {@link #PAUSE_NANOS}.
   */
  private static final long OPENING_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final int MOST_DOUBLINGS = 3;

  /**
   * The time after an epoch's opening in which no server joins. A joiner stops writes again, so the
   * members first do the writes that have waited.
   */
  private static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The time that a server gets to get ready. After it, the server joins as it is. */
  private static final long READY_NANOS = TimeUnit.SECONDS.toNanos(60);

  /**
   * In a record's note, the words between the reason of an epoch's end and what the region waits
   * for.
   */
  private static final String WAITS = "; it waits: ";

  private final String name;
  private final MasterContext context;
  private final ClusterStore store;
  private final Patience patience;
  private final int minMembers;
  private final Runnable wake;
  private final Accusations accusations;
  private final DataNodeProbe dataNodes = new DataNodeProbe();

  /** When a server last broke an epoch, in nanoseconds, by node. */
  private final Map<String, Long> troubled = new HashMap<>();

  /** When a region's last epoch was opened, in nanoseconds, by region. */
  private final Map<Integer, Long> opened = new HashMap<>();

  /** When a server was asked to get ready to join, in nanoseconds, by region. */
  private final Map<Integer, Long> asked = new HashMap<>();

  private final KeptTable table;
  private VolumeDirectory directory;

  /** The reason why an epoch cannot go on. */
  private record Why(Cause cause, String text) {}

  /** Decides how long the master waits for absent servers. */
  interface Patience {
    /**
     * Whether an absent server has had enough time to start.
     *
     * @param restarted whether no process of the region's epoch is left, so that registrations may
     *     be from before a restart
     */
    boolean isOver(String node, boolean restarted);
  }

  /**
   * @param patience decides how long to wait for absent servers
   * @param tables runs the requests that wait for HBase
   * @param wake has {@link #keep} called soon; any thread may run it
   */
  KeptVolume(
      String name,
      MasterContext context,
      ClusterStore store,
      ClusterSettings settings,
      Patience patience,
      Executor tables,
      Runnable wake) {
    this.name = name;
    this.context = context;
    this.store = store;
    this.minMembers = settings.rrsMinMembers();
    this.accusations =
        new Accusations(new Signer(settings.secret().getBytes(StandardCharsets.UTF_8)));
    this.patience = patience;
    this.table = new KeptTable(name, context, tables, wake);
    this.wake = wake;
  }

  /**
   * Does the volume's next steps.
   *
   * @param running the servers that run, by node
   * @throws IOException when a step failed; the others are done, and the next call repeats it
   */
  void keep(Map<String, ServerRecord> running) throws IOException {
    VolumeRecord volume = store.volume(name);
    switch (volume.state()) {
      case RESTORING -> {
        // A region without a record is not a new one here: it has no epoch until all records are
        // there.
      }
      case ACTIVE -> keepServing(volume.spec(), running);
      case DELETING -> removeMembers(volume.spec());
      case DELETED ->
          table.delete(
              () -> {
                store.finishDelete(name);
                LOG.info("volume {} is deleted", name);
              });
    }
  }

  private void keepServing(VolumeSpec spec, Map<String, ServerRecord> running) throws IOException {
    table.create(spec.regionCount());
    if (directory == null) {
      directory = new VolumeDirectory(store, spec, (region, now) -> wake.run());
    }
    List<RrsChange> next = new ArrayList<>();
    IOException failed = null;
    for (int r = 0; r < spec.regionCount(); r++) {
      try {
        keepServing(r, running).ifPresent(next::add);
      } catch (IOException one) { // the other regions do not wait for it
        if (failed == null) {
          failed = one;
        } else {
          failed.addSuppressed(one);
        }
      }
    }
    // Few steps, because each waits for ZooKeeper's disk, and the last region waits for all.
    for (int i = 0; i < next.size(); i += ClusterStore.MOST_CHANGES) {
      open(next.subList(i, Math.min(next.size(), i + ClusterStore.MOST_CHANGES)));
    }
    if (failed != null) {
      throw failed;
    }
  }

  private void open(List<RrsChange> epochs) throws IOException {
    try {
      store.replaceRrs(name, epochs);
    } catch (ClusterStoreException.Conflict raced) {
      if (epochs.size() == 1) {
        throw raced;
      }
      for (RrsChange x : epochs) {
        open(List.of(x));
      }
      return;
    }
    for (RrsChange x : epochs) {
      opened.put(x.region(), System.nanoTime());
      LOG.info(
          "region {} of volume {}: epoch {} on {}, for {}",
          x.region(),
          name,
          x.record().epoch(),
          x.record().nodes(),
          x.record().note());
    }
  }

  /** Does a region's next step. Returns its next epoch for the caller to open, or empty. */
  private Optional<RrsChange> keepServing(int region, Map<String, ServerRecord> running)
      throws IOException {
    Optional<Versioned<RrsRecord>> now = store.rrs(name, region);
    if (now.isEmpty()) {
      openFirst(region, running);
      return Optional.empty();
    }
    RrsRecord rrs = now.get().value();
    Why why = why(rrs, running);
    if (why == null && isOverdue(region, rrs)) {
      giveUpOpening(region, now.get());
      return Optional.empty();
    }
    if (why == null
        && rrs.state() == State.SERVING
        && rrs.members().size() < Lanes.COUNT
        && !isWithin(JOIN_NANOS, opened.get(region))) {
      why = join(region, now.get(), running);
    }
    return why == null ? Optional.empty() : openNext(region, now.get(), why, running);
  }

  /**
   * Has another server get ready to join. Once it is ready, this returns the reason to end the
   * epoch; before that, null.
   */
  private Why join(int region, Versioned<RrsRecord> now, Map<String, ServerRecord> running)
      throws IOException {
    RrsRecord rrs = now.value();
    Joining joining = rrs.joining();
    Optional<Member> spare =
        spares(region, rrs, running)
            .filter(n -> !rrs.nodes().contains(n))
            .findFirst()
            .map(n -> member(n, running));
    if (spare.isEmpty()) {
      return null;
    }
    if (joining == null || !joining.member().equals(spare.get())) {
      asked.put(region, System.nanoTime());
      store.replaceRrs(name, region, now.version(), rrs.joining(spare.get(), false));
      LOG.info("region {} of volume {}: {} gets ready to join", region, name, spare.get().node());
      return null;
    }
    Long since = asked.computeIfAbsent(region, r -> System.nanoTime());
    return joining.ready() || !isWithin(READY_NANOS, since)
        ? new Why(Cause.JOINED, joining.member().node() + " joins")
        : null;
  }

  /**
   * Takes a session's accusation. If it counts, it breaks the epoch, so that the region goes on
   * without the member at once.
   */
  void hear(ClusterReports.Heard heard) throws IOException {
    Optional<Versioned<RrsRecord>> now = store.rrs(name, heard.region());
    if (now.isEmpty()) {
      return;
    }
    RrsRecord rrs = now.get().value();
    Accusation said = heard.record().accusation();
    Long writer = store.writer(name).map(w -> w.value().mountEpoch()).orElse(null);
    long id = store.volume(name).spec().id();
    String refusal =
        accusations.refusal(heard.record(), id, heard.region(), rrs, writer, System.nanoTime());
    if (refusal != null) {
      LOG.warn(
          "region {} of volume {}: what a session said does not count, because {}: {}",
          heard.region(),
          name,
          refusal,
          said);
      return;
    }
    String node = Accusations.accused(said, rrs);
    LOG.error(
        "region {} of volume {}: {} is accused by a session in epoch {}: it {}",
        heard.region(),
        name,
        node,
        rrs.epoch(),
        said.what());
    boolean anyOf =
        said.cause() == Cause.DISAGREED
            && rrs.members().size() < Lanes.COUNT; // with two members, nobody knows which is right
    store.replaceRrs(
        name,
        heard.region(),
        now.get().version(),
        rrs.broken(said.cause(), anyOf ? "" : node, node + " " + said.what()));
  }

  /**
   * Opens a region's first epoch. Its members are the servers on which HBase has the region's HBase
   * replicas open. M0's place goes round with them.
   */
  private void openFirst(int region, Map<String, ServerRecord> running) throws IOException {
    List<String> nodes =
        context.placement(name).getOrDefault(region, List.of()).stream()
            .distinct()
            .filter(running::containsKey)
            .toList();
    if (nodes.size() == Lanes.COUNT) {
      store.createRrs(
          name,
          region,
          new RrsRecord(1, members(nodes, running), nodes, State.OPENING, "", "the first"));
      LOG.info("region {} of volume {}: epoch 1 on {}", region, name, nodes);
    }
  }

  /** Whether the epoch should have opened by now, but has not. */
  private boolean isOverdue(int region, RrsRecord rrs) {
    if (rrs.state() != State.OPENING) {
      return false;
    }
    Long since = opened.putIfAbsent(region, System.nanoTime());
    return since != null && !isWithin(OPENING_NANOS << inVain(rrs), since);
  }

  private void giveUpOpening(int region, Versioned<RrsRecord> now) throws IOException {
    MemberChoice choice = new MemberChoice(now.value().suspicions());
    String guess = choice.guess(now.value().nodes());
    String note =
        "epoch "
            + now.value().epoch()
            + " did not open in "
            + TimeUnit.NANOSECONDS.toSeconds(OPENING_NANOS << inVain(now.value()))
            + " s";
    LOG.warn("region {} of volume {}: {}, and goes on without {}", region, name, note, guess);
    store.replaceRrs(
        name,
        region,
        now.version(),
        now.value().broken(Cause.STALLED, guess, note).suspecting(choice.suspicions()));
  }

  private static int inVain(RrsRecord rrs) {
    return Math.max(0, Math.min(MOST_DOUBLINGS, rrs.epoch() - rrs.served() - 1));
  }

  /** Returns the reason why an epoch cannot go on, or null. */
  private static Why why(RrsRecord rrs, Map<String, ServerRecord> running) {
    if (rrs.state() == State.BROKEN) {
      return new Why(rrs.cause() == null ? Cause.FAILED : rrs.cause(), rrs.note());
    }
    for (Member m : rrs.members()) {
      if (!isRunning(m, running)) {
        return new Why(
            Cause.GONE,
            m.node() + (running.containsKey(m.node()) ? " has started again" : " is gone"));
      }
    }
    return null;
  }

  /** Whether the member's process still runs. */
  private static boolean isRunning(Member m, Map<String, ServerRecord> running) {
    ServerRecord s = running.get(m.node());
    return s != null && s.startCode() == m.startCode();
  }

  /**
   * Chooses the members of the next epoch. The holders that run with their DataNodes go on at once.
   * Spares take the other places now only if too few holders are left; otherwise they join later.
   * The region waits while it has no holder or too few servers.
   *
   * @return the next epoch, or empty for now
   */
  private Optional<RrsChange> openNext(
      int region, Versioned<RrsRecord> now, Why why, Map<String, ServerRecord> running)
      throws IOException {
    RrsRecord rrs = now.value();
    List<String> having =
        rrs.holders().stream()
            .filter(n -> running.containsKey(n) && dataNodes.isAlive(running.get(n).dataNode()))
            .toList();
    boolean restarted = rrs.members().stream().noneMatch(m -> isRunning(m, running));
    if (rrs.holders().stream()
        .anyMatch(n -> !running.containsKey(n) && !patience.isOver(n, restarted))) {
      return Optional.empty(); // servers that start together register one after the other
    }
    if (isWithin(PAUSE_NANOS << inVain(rrs), opened.get(region))) {
      return Optional.empty(); // the trouble may last; the next round comes in a second
    }
    MemberChoice choice = new MemberChoice(rrs.suspicions());
    choice.ended(rrs.epoch(), rrs.served(), rrs.nodes(), why.cause, rrs.suspect());
    if (!choice.suspect().isEmpty()) {
      troubled.put(choice.suspect(), System.nanoTime());
    }
    int wanted = why.cause == Cause.JOINED ? rrs.members().size() + 1 : minMembers;
    List<String> nodes =
        choice.members(having, () -> spares(region, rrs, running), wanted, minMembers);
    if (having.isEmpty() || nodes.size() < minMembers) {
      awaitServers(region, now, why, choice.suspicions(), having, nodes);
      return Optional.empty();
    }
    RrsRecord next =
        rrs.next(members(nodes, running), why.cause, cause(why.text), System.currentTimeMillis());
    return Optional.of(new RrsChange(region, now.version(), next.suspecting(choice.suspicions())));
  }

  private void awaitServers(
      int region,
      Versioned<RrsRecord> now,
      Why why,
      Suspicions learned,
      List<String> having,
      List<String> possible)
      throws IOException {
    List<String> holders = now.value().holders();
    String wanted =
        having.isEmpty()
            ? "none of "
                + holders
                + " runs with its DataNode, which have its data: start one of them"
            : "only "
                + possible
                + " can be members, and salus.rrs.min-members asks for "
                + minMembers
                + ": start more servers and their DataNodes";
    String note = cause(why.text) + WAITS + wanted;
    if (now.value().state() != State.BROKEN || !now.value().note().equals(note)) {
      store.replaceRrs(
          name, region, now.version(), now.value().broken(why.cause, "", note).suspecting(learned));
      LOG.warn("region {} of volume {}: {}", region, name, note);
    }
  }

  /** Returns why an epoch ended, without the words about what its region waits for. */
  private static String cause(String note) {
    int waits = note.indexOf(WAITS);
    return waits < 0 ? note : note.substring(0, waits);
  }

  /**
   * Returns the servers that can join a region, best first. First comes the server that gets ready,
   * then those on which HBase has a replica of the region open. Servers without a live DataNode are
   * left out, because they would break the epoch.
   */
  private Stream<String> spares(int region, RrsRecord rrs, Map<String, ServerRecord> running) {
    LinkedHashSet<String> nodes = new LinkedHashSet<>();
    if (rrs.joining() != null) {
      nodes.add(rrs.joining().member().node());
    }
    nodes.addAll(context.placement(name).getOrDefault(region, List.of()));
    nodes.addAll(running.keySet());
    return nodes.stream()
        .filter(
            n ->
                running.containsKey(n)
                    && !isTroubled(n)
                    && !isSuspect(n, rrs)
                    && dataNodes.isAlive(running.get(n).dataNode()));
  }

  /** Whether the server was just left out as the suspect, perhaps by another master. */
  private static boolean isSuspect(String node, RrsRecord rrs) {
    long since = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis() - rrs.history().since());
    return rrs.suspicions().suspect().equals(node) && since < TROUBLE_NANOS;
  }

  private boolean isTroubled(String node) {
    return isWithin(TROUBLE_NANOS, troubled.get(node));
  }

  private static boolean isWithin(long nanos, Long since) {
    return since != null && System.nanoTime() - since < nanos;
  }

  private static List<Member> members(List<String> nodes, Map<String, ServerRecord> running) {
    return nodes.stream().map(n -> member(n, running)).toList();
  }

  private static Member member(String node, Map<String, ServerRecord> running) {
    return new Member(node, running.get(node).startCode(), running.get(node).dataNode());
  }

  private void removeMembers(VolumeSpec spec) throws IOException {
    for (int r = 0; r < spec.regionCount(); r++) {
      try {
        store.deleteRrs(name, r);
      } catch (ClusterStoreException.Missing gone) {
        LOG.debug("region {} of volume {} has no record any more", r, name);
      }
    }
  }

  @Override
  public void close() {
    if (directory != null) {
      directory.close();
    }
  }
}
