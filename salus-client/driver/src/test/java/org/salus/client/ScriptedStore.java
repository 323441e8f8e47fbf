package org.salus.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.salus.client.cluster.WriterStore;
import org.salus.core.effect.SessionEffect;
import org.salus.core.mount.Claimant;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.mount.KeptMount;
import org.salus.core.mount.LossRecord;
import org.salus.core.mount.MountRules;
import org.salus.core.mount.Reader;
import org.salus.host.zk.AccusationRecord;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DamageRecord;
import org.salus.host.zk.WriterLease.Confirmation;
import org.salus.host.zk.WriterRecord;

/** The writer's records in memory: who has the volume, and which accusations were made. */
final class ScriptedStore implements WriterStore {
  /** Who claims, unless another process does. */
  static final Claimant MINE = Claimant.alone("mine");

  private static final Claimant OTHER = Claimant.alone("other");

  final List<AccusationRecord> accusations = new ArrayList<>();
  final List<DamageRecord> damage = new ArrayList<>();

  /** Thrown by attempts to take the volume, unless null. */
  ClusterStoreException failure;

  /** Attempts to take the volume. */
  int attempts;

  /** What becomes of confirmations; null for no answer. */
  Confirmation confirmation = Confirmation.STANDS;

  /** The records of writers that may read. */
  final Map<Long, Reader> readers = new TreeMap<>();

  /** Whether the next claim is committed although nobody answers it. */
  boolean loseAnswer;

  /** Whether nobody answers who gives a claim back, or up. */
  boolean away;

  /** Whether another writer comes and goes before the next claim. */
  boolean otherComesFirst;

  /** Whether nobody answers the look after the next claim. */
  boolean loseLook;

  /** Whether nobody answers the look after the next claim, though one before it is answered. */
  boolean loseLookAfterClaim;

  private long mountEpoch;
  private Own own;

  /** The mount epoch of whoever is registered as the writer; 0 is nobody. */
  private long writer;

  private final class Own implements Lease {
    private final long epoch;
    private final Runnable onLost;
    private boolean held = true;

    Own(long epoch, Runnable onLost) {
      this.epoch = epoch;
      this.onLost = onLost;
    }

    @Override
    public long mountEpoch() {
      return epoch;
    }

    @Override
    public boolean isHeld() {
      return held;
    }

    @Override
    public void confirm(Consumer<Confirmation> then) {
      if (confirmation != null) {
        then.accept(confirmation);
      }
    }

    @Override
    public void leave() {
      held = false;
    }

    @Override
    public boolean giveBack(boolean record) {
      held = false;
      if (away) {
        return false;
      }
      if (record) {
        readers.remove(epoch);
      }
      if (writer == epoch && !lostWithSession) {
        writer = 0;
      }
      return true;
    }
  }

  /** Whose claim made the present writer, or the one before; null for nobody's. */
  private Claimant writerBy;

  /** Whether ZooKeeper's session was lost while its node is still there. */
  private boolean lostWithSession;

  /** The mount epoch of whoever is registered as the writer; 0 is nobody. */
  long writer() {
    return writer;
  }

  /** The last mount that has found the volume whole; null for none. */
  ConfirmedRecord confirmed;

  /** So many notes of mounts that have found the volume whole fail first. */
  int losesConfirmed;

  /** So many notes of losses fail first. */
  int takesNoNotes;

  /** Whether they fail by a bug, not because nobody answers. */
  boolean failsByABug;

  /** What mounts have found lost. */
  final List<LossRecord.Loss> losses = new ArrayList<>();

  /** The store as this process of a user has it. */
  WriterStore as(KeptMount process) {
    return new OfProcess(this, process);
  }

  @Override
  public long newestMount() {
    return mountEpoch;
  }

  @Override
  public Lease acquire(boolean force, long after, Runnable onLost) throws ClusterStoreException {
    return acquire(KeptMount.none(MINE), force, after, onLost);
  }

  Lease acquire(KeptMount user, boolean force, long after, Runnable onLost)
      throws ClusterStoreException {
    Claimant by = user.by();
    attempts++;
    if (failure != null) {
      throw failure;
    }
    if (by.equals(writerBy) && writer > after && !lostWithSession) {
      return own = new Own(writer, onLost);
    }
    boolean isEarlier = writer != 0 && MountRules.PAPER.isEarlier(writerBy, user);
    if (writer != 0 && !force && !isEarlier) {
      throw new ClusterStoreException.Busy("disk", record(writerBy));
    }
    if (isEarlier) {
      lose();
    }
    if (otherComesFirst) {
      otherComesFirst = false;
      otherHasIt();
    }
    writer = ++mountEpoch;
    writerBy = by;
    readers.put(writer, new Reader(writer, 0, by, false, false));
    if (loseAnswer) {
      loseAnswer = false;
      throw new ClusterStoreException.Unreachable("the connection was lost", null);
    }
    own = new Own(mountEpoch, onLost);
    loseLook |= loseLookAfterClaim;
    loseLookAfterClaim = false;
    return own;
  }

  private WriterRecord record(Claimant by) {
    return new WriterRecord(
        "other", 0, writer, "", 1, by.user(), false, by.generation(), by.process());
  }

  @Override
  public List<Reader> readers() throws ClusterStoreException {
    if (loseLook) {
      loseLook = false;
      throw new ClusterStoreException.Unreachable("the connection was lost", null);
    }
    return List.copyOf(readers.values());
  }

  @Override
  public void giveUp(long upTo) throws ClusterStoreException {
    giveUp(MINE, upTo);
  }

  void giveUp(Claimant by, long upTo) throws ClusterStoreException {
    if (away) {
      throw new ClusterStoreException.Unreachable("no answer", null);
    }
    readers.values().removeIf(r -> r.claimant().equals(by) && r.mountEpoch() <= upTo);
    writer = by.equals(writerBy) ? 0 : writer;
  }

  @Override
  public void forget(List<Long> mountEpochs) {
    readers.keySet().removeAll(mountEpochs);
  }

  @Override
  public void confirmed(long mounted, Optional<SessionEffect.WentBack> loss)
      throws ClusterStoreException {
    if (losesConfirmed > 0) {
      losesConfirmed--;
      throw new ClusterStoreException.Unreachable("no answer", null);
    }
    confirmed =
        new ConfirmedRecord(
            MemoryMembers.SPEC.id(),
            mounted,
            0,
            loss.map(SessionEffect.WentBack::prefix).orElse(0L),
            loss.map(SessionEffect.WentBack::acked).orElse(0L),
            mounted);
  }

  @Override
  public void lost(long mounted, SessionEffect.WentBack loss, long served)
      throws ClusterStoreException {
    if (takesNoNotes > 0) {
      takesNoNotes--;
      if (failsByABug) {
        throw new IllegalStateException("a bug");
      }
      throw new ClusterStoreException.Unreachable("no answer", null);
    }
    losses.add(
        new LossRecord.Loss(
            0, MINE.user(), mounted, loss.prefix(), loss.acked(), loss.served(), served));
  }

  @Override
  public List<LossRecord.Loss> losses() {
    return losses;
  }

  /** This client's process ends without a word, and all others know it. */
  void processEnds() {
    readers.replaceAll(
        (epoch, r) -> new Reader(epoch, r.version(), r.claimant(), true, r.withoutUser()));
    own.held = false;
    writer = 0;
    own = null;
  }

  /** ZooKeeper is put back to an earlier mount. */
  void putBack(long earlier) {
    mountEpoch = earlier;
    readers.keySet().removeIf(epoch -> epoch > earlier);
  }

  /** Another writer takes the volume by force. */
  void takeOver() {
    takeOverUnnoticed();
    lose();
  }

  /** Same as {@link #takeOver}, but nobody tells this client. */
  void takeOverUnnoticed() {
    otherHasIt();
    readers.put(writer, new Reader(writer, 0, OTHER, false, false));
  }

  /** Another writer, which reads no more, has the volume. */
  void otherHasIt() {
    writer = ++mountEpoch;
    writerBy = OTHER;
  }

  /** The other writer has ended. */
  void otherEnds() {
    readers.remove(writer);
    writer = 0;
  }

  /** Whether this client has the volume for all it knows. */
  boolean isHeld() {
    return own != null && own.held;
  }

  /** Loses the client's ZooKeeper session, which ZooKeeper still knows. */
  void loseSession() {
    lostWithSession = true;
    lose();
  }

  /** Makes ZooKeeper end the lost session. */
  void forgetSession() {
    lostWithSession = false;
    writer = 0;
  }

  private void lose() {
    own.held = false;
    own.onLost.run();
  }

  @Override
  public void accuse(int region, AccusationRecord record) {
    accusations.add(record);
  }

  @Override
  public void damage(DamageRecord record) {
    damage.add(record);
  }

  /** The claims are a process' own; all else is the same. */
  private record OfProcess(ScriptedStore all, KeptMount by) implements WriterStore {
    @Override
    public Lease acquire(boolean force, long after, Runnable onLost) throws ClusterStoreException {
      return all.acquire(by, force, after, onLost);
    }

    @Override
    public void giveUp(long upTo) throws ClusterStoreException {
      all.giveUp(by.by(), upTo);
    }

    @Override
    public long newestMount() {
      return all.newestMount();
    }

    @Override
    public List<Reader> readers() throws ClusterStoreException {
      return all.readers();
    }

    @Override
    public void forget(List<Long> mountEpochs) {
      all.forget(mountEpochs);
    }

    @Override
    public void accuse(int region, AccusationRecord record) {
      all.accuse(region, record);
    }

    @Override
    public void damage(DamageRecord record) {
      all.damage(record);
    }

    @Override
    public void confirmed(long mounted, Optional<SessionEffect.WentBack> loss)
        throws ClusterStoreException {
      all.confirmed(mounted, loss);
    }

    @Override
    public void lost(long mounted, SessionEffect.WentBack loss, long served)
        throws ClusterStoreException {
      all.lost(mounted, loss, served);
    }

    @Override
    public List<LossRecord.Loss> losses() {
      return all.losses();
    }
  }
}
