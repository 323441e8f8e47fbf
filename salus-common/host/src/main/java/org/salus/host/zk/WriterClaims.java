package org.salus.host.zk;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.CreateMode;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.Reader;

/**
 * The claims of one volume's writers, and the records of those that may answer reads. Thread-safe.
 */
final class WriterClaims {
  private static final int TRIES = 10;

  /** The name of a reader's record: its mount epoch. */
  private static final Pattern MOUNT_EPOCH = Pattern.compile("[1-9]\\d{0,17}");

  private final ClusterStore store;
  private final ClusterNodes nodes;
  private final CuratorFramework client;
  private final String volume;
  private final String path;

  /**
   * @param path the volume's node
   */
  WriterClaims(ClusterStore store, ClusterNodes nodes, String volume, String path) {
    this.store = store;
    this.nodes = nodes;
    client = nodes.client();
    this.volume = volume;
    this.path = path;
  }

  static String readersPath(String volumePath) {
    return volumePath + "/readers";
  }

  static String readerPath(String volumePath, long mountEpoch) {
    return readersPath(volumePath) + "/" + mountEpoch;
  }

  /** The mounts of the readers' records with these names. Ignores other names. */
  static LongStream mountEpochs(List<String> names) {
    return names.stream().filter(MOUNT_EPOCH.asMatchPredicate()).mapToLong(Long::parseLong);
  }

  /** The present writer; empty when there is none. */
  Optional<Versioned<WriterRecord>> present() throws ClusterStoreException {
    return nodes.read("the writer of " + volume, path + "/writer", WriterRecord.class);
  }

  /** The number of the newest mount. */
  Versioned<Long> mountEpoch() throws ClusterStoreException {
    return nodes
        .read(volume, path + "/mountEpoch", Long.class)
        .orElseThrow(() -> new ClusterStoreException.Missing("volume " + volume));
  }

  /** Takes the volume; see {@link ClusterStore#acquireWriter}. */
  WriterLease acquire(VolumeSpec spec, WriterClaim claim, Runnable onLost)
      throws ClusterStoreException {
    ClusterStoreException.Unreachable unanswered = null;
    for (int i = 0; i < TRIES; i++) {
      Optional<Versioned<WriterRecord>> present = present();
      Versioned<Long> epoch = mountEpoch();
      int active =
          store.requireActive(spec); // after the epoch, which another volume of this name has anew
      boolean stands = present.isPresent() && stands(claim, present.get().value(), epoch.value());
      if (present.isPresent() && !stands && !claim.putsOut(present.get().value())) {
        throw new ClusterStoreException.Busy(volume, present.get().value());
      }
      WriterRecord record = claim.record(epoch.value() + 1);
      try {
        if (stands) {
          WriterRecord mine = present.get().value();
          confirm(mine, epoch.version());
          return WriterLease.of(this, nodes, path, mine, epoch.version(), onLost);
        }
        commit(present, epoch.version(), active, record);
        return WriterLease.of(this, nodes, path, record, epoch.version() + 1, onLost);
      } catch (ClusterStoreException.Missing noParent) {
        ensureReaders();
      } catch (ClusterStoreException.Exists | ClusterStoreException.Conflict raced) {
        continue; // another writer came or went in between, or our own answer was lost: look again
      } catch (ClusterStoreException.Unreachable lost) {
        if (unanswered != null) {
          throw lost;
        }
        unanswered = lost; // it may be committed all the same: look, which fails if nobody answers
      }
    }
    throw new ClusterStoreException.Conflict("the writer of " + volume);
  }

  /**
   * Whether the present record is this claim, committed though its answer was lost, and not used
   * yet.
   */
  private boolean stands(WriterClaim claim, WriterRecord present, long mountEpoch)
      throws ClusterStoreException {
    return claim.isMine(present)
        && present.mountEpoch() > claim.after()
        && present.mountEpoch() == mountEpoch
        && nodes.owns(path + "/writer");
  }

  /** Confirms a claim that was read: a server of ZooKeeper may be behind, and it may be gone. */
  private void confirm(WriterRecord claim, int epochVersion) throws ClusterStoreException {
    ClusterNodes.run(
        "the writer of " + volume,
        () -> client.transaction().forOperations(confirmation(client, path, claim, epochVersion)));
  }

  /** A transaction that is committed only while nobody has claimed the volume since. */
  static List<CuratorOp> confirmation(
      CuratorFramework client, String path, WriterRecord claim, int epochVersion) throws Exception {
    return List.of(
        isNewest(client, path, epochVersion),
        client
            .transactionOp()
            .setData()
            .forPath(readerPath(path, claim.mountEpoch()), ClusterNodes.json(claim)));
  }

  /** Whether nobody has claimed the volume since the mount epoch had this version. */
  static CuratorOp isNewest(CuratorFramework client, String path, int epochVersion)
      throws Exception {
    return client.transactionOp().check().withVersion(epochVersion).forPath(path + "/mountEpoch");
  }

  /** Fails if anybody has claimed the volume, or begun to delete it, since these versions. */
  private void commit(
      Optional<Versioned<WriterRecord>> present,
      int epochVersion,
      int volumeVersion,
      WriterRecord record)
      throws ClusterStoreException {
    ClusterNodes.run(
        "the writer of " + volume,
        () -> {
          List<CuratorOp> ops = new ArrayList<>();
          ops.add(client.transactionOp().check().withVersion(volumeVersion).forPath(path));
          if (present.isPresent()) {
            ops.add(client.transactionOp().delete().forPath(path + "/writer"));
          }
          ops.add(
              client
                  .transactionOp()
                  .setData()
                  .withVersion(epochVersion)
                  .forPath(path + "/mountEpoch", ClusterNodes.json(record.mountEpoch())));
          ops.add(
              client
                  .transactionOp()
                  .create()
                  .withMode(CreateMode.EPHEMERAL)
                  .forPath(path + "/writer", ClusterNodes.json(record)));
          ops.add(
              client
                  .transactionOp()
                  .create()
                  .forPath(readerPath(path, record.mountEpoch()), ClusterNodes.json(record)));
          return client.transaction().forOperations(ops);
        });
  }

  private void ensureReaders() throws ClusterStoreException {
    ClusterNodes.run(
        "the readers of " + volume,
        () -> {
          if (client.checkExists().forPath(path) != null) {
            nodes.ensure(readersPath(path));
          }
          return null;
        });
  }

  /**
   * The records of all that may answer reads.
   *
   * @param claim tells which of them have ended for certain
   */
  List<Reader> readers(WriterClaim claim) throws ClusterStoreException {
    List<Reader> all = new ArrayList<>();
    for (long epoch : mountEpochs(nodes.children(readersPath(path))).toArray()) {
      nodes
          .read("a reader of " + volume, readerPath(path, epoch), WriterRecord.class)
          .ifPresent(r -> all.add(reader(epoch, r, claim)));
    }
    return all;
  }

  private static Reader reader(long epoch, Versioned<WriterRecord> r, WriterClaim claim) {
    return new Reader(
        epoch,
        r.version(),
        r.value().claimant(),
        claim.knowsAsEnded(r.value()),
        r.value().withoutUser());
  }

  /** See {@link ClusterStore#giveUpWriter}. */
  void giveUp(WriterClaim claim, long upTo) throws ClusterStoreException {
    for (int i = 0; i < TRIES; i++) {
      Optional<Versioned<Long>> epoch = nodes.read(volume, path + "/mountEpoch", Long.class);
      if (epoch.isEmpty()) {
        return; // the volume is gone
      }
      Optional<Versioned<WriterRecord>> present = present();
      boolean stands = present.isPresent() && claim.isMine(present.get().value());
      List<Reader> mine =
          readers(claim).stream()
              .filter(r -> r.claimant().equals(claim.claimant()) && !r.withoutUser())
              .filter(r -> r.mountEpoch() <= upTo)
              .toList();
      try {
        remove(epoch.get().version(), stands, mine);
        return;
      } catch (ClusterStoreException.Missing | ClusterStoreException.Conflict raced) {
        continue; // this server of ZooKeeper was behind, or somebody came or went: look again
      }
    }
    throw new ClusterStoreException.Conflict("the writer of " + volume);
  }

  /** Fails if anybody has claimed the volume since the mount epoch had this version. */
  private void remove(int epochVersion, boolean writer, List<Reader> readers)
      throws ClusterStoreException {
    ClusterNodes.run(
        "the writer of " + volume,
        () -> {
          List<CuratorOp> ops = new ArrayList<>();
          ops.add(isNewest(client, path, epochVersion));
          if (writer) {
            ops.add(client.transactionOp().delete().forPath(path + "/writer"));
          }
          for (Reader r : readers) {
            ops.add(client.transactionOp().delete().forPath(readerPath(path, r.mountEpoch())));
          }
          return client.transaction().forOperations(ops);
        });
  }

  /** Removes readers' records whose leases are over. */
  void forget(List<Long> mountEpochs) throws ClusterStoreException {
    for (long epoch : mountEpochs) {
      try {
        ClusterNodes.run(
            "a reader of " + volume, () -> client.delete().forPath(readerPath(path, epoch)));
      } catch (ClusterStoreException.Missing gone) {
        continue;
      }
    }
  }
}
