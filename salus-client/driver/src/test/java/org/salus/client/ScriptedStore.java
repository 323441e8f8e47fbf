package org.salus.client;

import java.util.ArrayList;
import java.util.List;
import org.salus.host.zk.AccusationRecord;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.DamageRecord;
import org.salus.host.zk.WriterRecord;

/** The writer's records in memory: who has the volume, and which accusations were made. */
final class ScriptedStore implements WriterStore {
  final List<AccusationRecord> accusations = new ArrayList<>();
  final List<DamageRecord> damage = new ArrayList<>();

  /** Thrown by attempts to take the volume, unless null. */
  ClusterStoreException failure;

  /** Attempts to take the volume. */
  int attempts;

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
    public void close() {
      held = false;
      if (writer == epoch && !lostWithSession) {
        writer = 0;
      }
    }
  }

  /** Whether ZooKeeper's session was lost while its node is still there. */
  private boolean lostWithSession;

  /** The mount epoch of whoever is registered as the writer; 0 is nobody. */
  long writer() {
    return writer;
  }

  @Override
  public Lease acquire(boolean force, Runnable onLost) throws ClusterStoreException {
    attempts++;
    if (failure != null) {
      throw failure;
    }
    if (writer != 0 && !force) {
      throw new ClusterStoreException.Busy("disk", new WriterRecord("other", 0, writer, "", 1));
    }
    writer = ++mountEpoch;
    own = new Own(mountEpoch, onLost);
    return own;
  }

  /** Another writer takes the volume by force. */
  void takeOver() {
    writer = ++mountEpoch;
    lose();
  }

  /** The other writer has ended. */
  void otherEnds() {
    writer = 0;
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
}
