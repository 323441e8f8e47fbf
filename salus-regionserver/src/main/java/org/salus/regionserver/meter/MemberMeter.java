package org.salus.regionserver.meter;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.wire.MalformedException;
import org.salus.host.MemberFigures;

/**
 * Measures one member, from its start to its end. The member itself says how it is, as it does to
 * clients, but for the region root, which costs reads. It is asked only while somebody looks at the
 * metrics. Only the region's loop calls what the member does; any thread may look, or end it.
 */
public final class MemberMeter {
  /** The shortest time between two questions to the member. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After this time the member's last answer is not shown any more. */
  private static final long OLD_NANOS = TimeUnit.MINUTES.toNanos(3);

  /** The time between two batches that are measured, because decoding a batch costs time. */
  private static final long SAMPLE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** A measured batch that is not committed by then was lost or refused. */
  private static final long LOST_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** What the member has said of itself. */
  record Said(StatusReply status, MemberFigures figures, long at) {}

  private final VolumeMeter volume;
  private final Waits waits;

  private volatile boolean ended;
  private volatile Said said;
  private volatile boolean wanted;
  private long asked = System.nanoTime() - PAUSE_NANOS;

  /** The last seq of the batch that is being measured, or 0. */
  private long sampled;

  private long sampledMount;

  private long sampledAt = System.nanoTime() - SAMPLE_NANOS;

  MemberMeter(VolumeMeter volume, Waits waits) {
    this.volume = volume;
    this.waits = waits;
  }

  public VolumeMeter volume() {
    return volume;
  }

  /** The requests that wait at the member. */
  public Waits waits() {
    return waits;
  }

  /** What the member has said of itself, if that is not old; has it asked again. */
  Optional<Said> said() {
    wanted = true;
    return Optional.ofNullable(said).filter(s -> !ended && System.nanoTime() - s.at() <= OLD_NANOS);
  }

  /** Whether the member is to be asked now for its figures. */
  public boolean asks(long now) {
    boolean asks = wanted && now - asked >= PAUSE_NANOS;
    if (asks) {
      wanted = false;
      asked = now;
    }
    return asks;
  }

  /** Takes the member's answer. */
  public void hears(StatusReply r, long now) {
    said = new Said(r, MemberFigures.of(r), now);
  }

  /** Takes note of a message that the member is about to get. */
  public void comes(Message m, long now) {
    if (m instanceof Commit c) {
      committed(c, now);
    } else if (m instanceof PutRequest p && mayMeasure(now)) {
      measure(p, now);
    }
  }

  private boolean mayMeasure(long now) {
    return now - sampledAt >= (sampled == 0 ? SAMPLE_NANOS : LOST_NANOS);
  }

  private void measure(PutRequest p, long now) {
    try {
      SubBatch b = SubBatch.decode(p.content());
      sampled = b.last();
      sampledMount = b.mountEpoch();
      sampledAt = now;
    } catch (MalformedException refused) {
      sampled = 0; // the member refuses it
    }
  }

  /** Takes note of a message that the member sends. */
  public void goes(Message m, long now) {
    if (m instanceof Commit c) {
      committed(c, now);
    }
  }

  private void committed(Commit c, long now) {
    if (sampled != 0 && c.mountEpoch() == sampledMount && c.seq() >= sampled) {
      if (now - sampledAt < LOST_NANOS) { // else another member may have got it
        volume.committed(now - sampledAt);
      }
      sampled = 0;
    }
  }

  /** The member has ended. It says nothing any more; how many requests were slow there stays. */
  public void end() {
    ended = true;
    waits.end();
  }

  boolean isEnded() {
    return ended;
  }
}
