package org.salus.host.zk;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.CreateMode;
import org.salus.core.Reason;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.mount.LossRecord;
import org.salus.core.mount.LossRules;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of what sessions and servers have found out about members and replicas. Calls block
 * for at most a few seconds. Thread-safe.
 */
public final class ClusterReports {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterReports.class);
  private static final String ACCUSATIONS = "/accusations";

  /** The name of an accusation's node: region, hyphen, volume. */
  private static final Pattern ACCUSATION = Pattern.compile("(\\d{1,9})-(.+)");

  /** So often a note is changed anew when others change it, too. */
  private static final int TRIES = 10;

  private static final String SCRUBS = "/scrubs";
  private static final String WAITS = "/waits";

  /** A node that is written only for the time at which that was. */
  private static final String CLOCK = "/clock";

  private static final String DAMAGE = "/damage";
  private static final String LOSSES = "/losses";
  private static final String CONFIRMED = "/confirmed";
  private static final String TROUBLE = "/trouble";
  private static final String TABLES = "/tables";

  private final ClusterNodes nodes;

  /** A session's accusation against a member of a volume's region. */
  public record Heard(String volume, int region, AccusationRecord record) {}

  ClusterReports(ClusterNodes nodes) {
    this.nodes = nodes;
  }

  /** Sends an accusation to the master. The newest accusation of a region replaces older ones. */
  public void accuse(String volume, int region, AccusationRecord record)
      throws ClusterStoreException {
    put(accusationPath(volume, region), record);
  }

  /** The accusations that the master has not dealt with. Removes records that cannot be read. */
  public List<Heard> accusations() throws ClusterStoreException {
    List<Heard> all = new ArrayList<>();
    for (String name : nodes.children(ACCUSATIONS)) {
      Matcher of = ACCUSATION.matcher(name);
      try {
        Optional<Versioned<AccusationRecord>> said =
            nodes.read(name, ACCUSATIONS + "/" + name, AccusationRecord.class);
        if (of.matches() && said.isPresent() && said.get().value() != null) {
          all.add(new Heard(of.group(2), Integer.parseInt(of.group(1)), said.get().value()));
          continue;
        }
      } catch (ClusterStoreException.Unreachable later) {
        throw later;
      } catch (ClusterStoreException malformed) {
        LOG.warn("an accusation cannot be read: {}", malformed.getMessage());
      }
      remove(name);
    }
    return all;
  }

  /** Removes an accusation that is dealt with. Does nothing when it is gone. */
  public void dealtWith(Heard h) throws ClusterStoreException {
    remove(h.region() + "-" + h.volume());
  }

  private void remove(String accusation) throws ClusterStoreException {
    delete(ACCUSATIONS + "/" + accusation);
  }

  /** Calls back, now and after each change, with the names of the accusations. */
  public Watch watchAccusations(Watch.Callback<List<String>> callback) {
    return nodes.watch(ACCUSATIONS, () -> nodes.children(ACCUSATIONS), callback);
  }

  private static String accusationPath(String volume, int region) {
    return ACCUSATIONS + "/" + region + "-" + ClusterNodes.checked(volume);
  }

  /** Notes the state of a server's scrub. */
  public void scrub(String node, ScrubRecord record) throws ClusterStoreException {
    put(scrubPath(node), record);
  }

  /** The state of a server's scrub; empty if it never began. */
  public Optional<ScrubRecord> scrub(String node) throws ClusterStoreException {
    return nodes
        .read("the scrub of " + node, scrubPath(node), ScrubRecord.class)
        .map(Versioned::value);
  }

  /**
   * The states of all servers' scrubs by the servers' names. Servers that never began are missing.
   */
  public Map<String, ScrubRecord> scrubs() throws ClusterStoreException {
    Map<String, ScrubRecord> all = new TreeMap<>();
    for (Map.Entry<String, ClusterNodes.Found> note : nodes.readAll(SCRUBS).entrySet()) {
      ScrubRecord record =
          ClusterNodes.run(
              "the scrub of " + note.getKey(),
              () -> ClusterNodes.parse(note.getValue().data(), ScrubRecord.class));
      if (record != null) {
        all.put(note.getKey(), record);
      }
    }
    return all;
  }

  /** Notes where requests wait at a server's members. The note ends with the server's session. */
  public void waits(String node, WaitsRecord record) throws ClusterStoreException {
    noteWhileHere(waitsPath(node), record.waits().isEmpty() ? null : record);
    if (!record.waits().isEmpty()) {
      ClusterNodes.run(
          CLOCK,
          () -> {
            nodes.ensure(CLOCK);
            return null;
          });
    }
  }

  /**
   * Where requests wait, as a server has noted it.
   *
   * @param ageMillis how long ago that was, by ZooKeeper's clock, which is one for all servers; -1
   *     if ZooKeeper does not tell its time now
   */
  public record NotedWaits(WaitsRecord record, long ageMillis) {}

  /** Where requests wait, by the names of the servers. A note of another form is none. */
  public Map<String, NotedWaits> waits() throws ClusterStoreException {
    Map<String, ClusterNodes.Found> notes = nodes.readAll(WAITS);
    OptionalLong now = notes.isEmpty() ? OptionalLong.empty() : nodes.time(CLOCK);
    Map<String, NotedWaits> all = new TreeMap<>();
    for (Map.Entry<String, ClusterNodes.Found> note : notes.entrySet()) {
      try {
        WaitsRecord record = ClusterNodes.parse(note.getValue().data(), WaitsRecord.class);
        if (record != null) {
          long age = now.isEmpty() ? -1 : Math.max(0, now.getAsLong() - note.getValue().written());
          all.put(note.getKey(), new NotedWaits(record, age));
        }
      } catch (IOException unreadable) {
        LOG.debug("the waits at {} cannot be read", note.getKey(), unreadable);
      }
    }
    return all;
  }

  /** Notes which blocks of a volume no member has. Replaces the earlier note. */
  public void damage(String volume, DamageRecord record) throws ClusterStoreException {
    String path = damagePath(volume);
    if (record.regions().isEmpty()) {
      delete(path);
    } else {
      put(path, record);
    }
  }

  /** The blocks of a volume that no member has; empty if none is known. */
  public Optional<DamageRecord> damage(String volume) throws ClusterStoreException {
    return nodes
        .read("the damage of " + volume, damagePath(volume), DamageRecord.class)
        .map(Versioned::value);
  }

  /**
   * Notes that a mount has found a volume whole. Does nothing when a newer one has, or another
   * volume has the name by now.
   */
  public void confirmed(VolumeSpec volume, ConfirmedRecord record) throws ClusterStoreException {
    String path = confirmedPath(volume.name());
    alone(
        volume,
        () -> {
          Optional<Versioned<ConfirmedRecord>> now = readConfirmed(volume);
          ConfirmedRecord known =
              now.map(Versioned::value)
                  .filter(c -> c.volume() == volume.id())
                  .orElse(ConfirmedRecord.none(volume.id()));
          ConfirmedRecord next = known.with(record, LossRules.PAPER);
          if (!next.equals(known) && !isReplaced(volume)) {
            replace(path, now, next);
          }
          return next;
        });
  }

  /** The last mount that has found a volume whole; empty if none is known. */
  public Optional<ConfirmedRecord> confirmed(VolumeSpec volume) throws ClusterStoreException {
    return readConfirmed(volume).map(Versioned::value).filter(c -> c.volume() == volume.id());
  }

  private Optional<Versioned<ConfirmedRecord>> readConfirmed(VolumeSpec volume)
      throws ClusterStoreException {
    return nodes.read(
        "the last mount of " + volume.name(),
        confirmedPath(volume.name()),
        data -> parsed(data, ConfirmedRecord.class, ConfirmedRecord.none(0)));
  }

  /**
   * Notes that a mount has found acknowledged changes lost. The note stays until {@link
   * #acceptLosses}. Does nothing when another volume has the name by now.
   */
  public void lost(VolumeSpec volume, LossRecord.Loss found) throws ClusterStoreException {
    alone(volume, () -> note(volume, found));
  }

  /** A change of the notes of a volume. */
  private interface Change<T> {
    T make() throws ClusterStoreException;
  }

  /** Makes a change anew while others change the notes, too. */
  private static <T> T alone(VolumeSpec volume, Change<T> change) throws ClusterStoreException {
    for (int i = 1; ; i++) {
      try {
        return change.make();
      } catch (ClusterStoreException.Exists
          | ClusterStoreException.Missing
          | ClusterStoreException.Conflict another) {
        if (i == TRIES) {
          throw another;
        }
        LOG.debug("somebody else changes the notes of {}", volume.name(), another);
      }
    }
  }

  private LossRecord note(VolumeSpec volume, LossRecord.Loss found) throws ClusterStoreException {
    long served = confirmed(volume).map(ConfirmedRecord::byUser).orElse(0L);
    Optional<Versioned<LossRecord>> now = readLosses(volume);
    LossRecord known = known(volume, now);
    if (isReplaced(volume)) {
      LOG.info("volume {} is deleted, and nobody asks what it has lost", volume.name());
      return known;
    }
    LossRecord next = known.with(found, served, LossRules.PAPER);
    if (!next.equals(known)) {
      replace(lossPath(volume.name()), now, next);
    }
    return next;
  }

  private static LossRecord known(VolumeSpec volume, Optional<Versioned<LossRecord>> now) {
    return now.map(Versioned::value)
        .filter(r -> r.volume() == volume.id())
        .orElse(LossRecord.nothing(volume.id()));
  }

  /** Writes a record in place of the one that was read, or of none. */
  private void replace(String path, Optional<? extends Versioned<?>> now, Object next)
      throws ClusterStoreException {
    ClusterNodes.run(
        path,
        () -> {
          byte[] json = ClusterNodes.json(next);
          return now.isEmpty()
              ? nodes.client().create().creatingParentsIfNeeded().forPath(path, json)
              : nodes.client().setData().withVersion(now.get().version()).forPath(path, json);
        });
  }

  /** Whether another volume has the name. One without a record may come back by a repair. */
  private boolean isReplaced(VolumeSpec volume) throws ClusterStoreException {
    return note(
            "volume " + volume.name(), ClusterStore.volumePath(volume.name()), VolumeRecord.class)
        .filter(v -> v.spec().id() != volume.id())
        .isPresent();
  }

  /** What mounts of a volume have found lost, oldest first, until somebody has accepted it. */
  public List<LossRecord.Loss> losses(VolumeSpec volume) throws ClusterStoreException {
    return known(volume, readLosses(volume)).losses();
  }

  private Optional<Versioned<LossRecord>> readLosses(VolumeSpec volume)
      throws ClusterStoreException {
    return nodes.read(
        "the losses of " + volume.name(),
        lossPath(volume.name()),
        data -> parsed(data, LossRecord.class, LossRecord.nothing(0)));
  }

  /** Anybody may have written it, and what cannot be read must not keep a volume from its user. */
  private static <T> T parsed(byte[] data, Class<T> type, T nothing) throws IOException {
    try {
      T noted = data == null ? null : ClusterNodes.parse(data, type);
      return noted == null ? nothing : noted;
    } catch (JsonProcessingException junk) {
      return nothing;
    }
  }

  /**
   * Ends the note of losses that somebody has seen. To say it again changes nothing.
   *
   * @return what is still noted: it was found since, or is worse than what was seen
   */
  public List<LossRecord.Loss> acceptLosses(VolumeSpec volume, Collection<LossRecord.Loss> seen)
      throws ClusterStoreException {
    return alone(
        volume,
        () -> {
          Optional<Versioned<LossRecord>> now = readLosses(volume);
          LossRecord known = known(volume, now);
          LossRecord next = known.accept(seen, LossRules.PAPER);
          if (!next.equals(known)) {
            replace(lossPath(volume.name()), now, next);
          }
          return next.losses();
        });
  }

  void forgetLosses(String volume) throws ClusterStoreException {
    delete(lossPath(volume));
  }

  void forgetConfirmed(String volume) throws ClusterStoreException {
    delete(confirmedPath(volume));
  }

  /**
   * Notes what keeps volumes from what they should do; null if nothing does. The note ends with the
   * session of who made it.
   */
  public void trouble(Reason reason) throws ClusterStoreException {
    noteWhileHere(TROUBLE, reason);
  }

  /** What keeps volumes from what they should do; empty if nothing is known. */
  public Optional<Reason> trouble() throws ClusterStoreException {
    return note("the trouble of volumes", TROUBLE, Reason.class);
  }

  /** A note that is there and can be read. Anybody may have written it. */
  private <T> Optional<T> note(String what, String path, Class<T> type)
      throws ClusterStoreException {
    try {
      return nodes.read(what, path, type).map(Versioned::value);
    } catch (ClusterStoreException.Unreachable unknown) {
      throw unknown;
    } catch (ClusterStoreException unreadable) {
      return Optional.empty();
    }
  }

  /** Calls back, now and after each change, with what keeps volumes from what they should do. */
  public Watch watchTrouble(Watch.Callback<Optional<Reason>> callback) {
    return nodes.watch(TROUBLE, this::trouble, callback);
  }

  /**
   * Notes what is wrong with tables of HBase, by the names of their volumes. The note ends with the
   * session of who made it.
   */
  public void tables(Map<String, Reason> troubles) throws ClusterStoreException {
    noteWhileHere(TABLES, troubles.isEmpty() ? null : new TableNotes(troubles));
  }

  /** What is wrong with tables of HBase, by the names of their volumes. */
  public Map<String, Reason> tables() throws ClusterStoreException {
    return note("the tables of HBase", TABLES, TableNotes.class)
        .map(TableNotes::troubles)
        .orElse(Map.of());
  }

  /** What is wrong with tables, by volume. */
  record TableNotes(Map<String, Reason> troubles) {}

  private void noteWhileHere(String path, Object note) throws ClusterStoreException {
    ClusterNodes.run(
        path,
        () ->
            note == null
                ? nodes.client().delete().quietly().forPath(path)
                : nodes
                    .client()
                    .create()
                    .orSetData()
                    .creatingParentsIfNeeded()
                    .withMode(CreateMode.EPHEMERAL)
                    .forPath(path, ClusterNodes.json(note)));
  }

  /** Writes a record, in place of an earlier one. */
  private void put(String path, Object record) throws ClusterStoreException {
    ClusterNodes.run(
        path,
        () ->
            nodes
                .client()
                .create()
                .orSetData()
                .creatingParentsIfNeeded()
                .forPath(path, ClusterNodes.json(record)));
  }

  /** Removes a record, if there is one. */
  private void delete(String path) throws ClusterStoreException {
    ClusterNodes.run(path, () -> nodes.client().delete().quietly().forPath(path));
  }

  private static String confirmedPath(String volume) {
    return CONFIRMED + "/" + ClusterNodes.checked(volume);
  }

  private static String lossPath(String volume) {
    return LOSSES + "/" + ClusterNodes.checked(volume);
  }

  private static String damagePath(String volume) {
    return DAMAGE + "/" + ClusterNodes.checked(volume);
  }

  private static String waitsPath(String node) {
    return WAITS + "/" + ClusterNodes.checked(node);
  }

  private static String scrubPath(String node) {
    return SCRUBS + "/" + ClusterNodes.checked(node);
  }
}
