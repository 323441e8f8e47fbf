package org.salus.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.salus.client.cluster.Accuser;
import org.salus.client.cluster.DamageNotes;
import org.salus.client.cluster.HandleNote;
import org.salus.client.cluster.MountTools;
import org.salus.client.cluster.SessionTransport;
import org.salus.client.cluster.WaitReason;
import org.salus.client.loop.VolumeLoop;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.effect.Stalled;
import org.salus.core.message.Message;
import org.salus.core.mount.MountEffect;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.session.Acknowledgements;
import org.salus.core.session.Room;
import org.salus.core.session.VolumeSession;
import org.salus.core.session.block.ReadTarget;
import org.salus.host.netty.Loop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one session from its lease to its end: carries its messages, its requests and its time, and
 * tells the cluster what it finds. Every method is to be called on the loop.
 */
final class SessionHost implements BlockSession {
  private static final Logger LOG = LoggerFactory.getLogger(SessionHost.class);
  private static final Duration TICK = Duration.ofMillis(20);
  private static final int TICKS_PER_HELLO = 50;

  /**
   * The session times its requests out itself. If it does not, the host ends it this much later.
   */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** So long ago, an answer shows that servers answer. */
  private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Told when the session is mounted and when it ends, on the volume's loop. */
  interface Listener {
    /** The session has mounted the volume. */
    void mounted(SessionHost session);

    /**
     * The session has found acknowledged changes lost. It waits until {@link #noted} says that this
     * is noted.
     */
    void wentBack(SessionHost session, SessionEffect.WentBack loss);

    /** The session is over and its requests have failed; told once. */
    void ended(SessionHost session, SessionError why);
  }

  /** Starts one request in the session. */
  private interface Request {
    List<SessionEffect> start(long id, long now);
  }

  /** A request that is not done; {@code since} is the time of the call in nanoseconds. */
  private record Waiting(CompletableFuture<SessionEffect.Outcome> result, long since) {}

  private final VolumeSpec spec;
  private final VolumeLoop loop;
  private final SessionTransport transport;
  private final VolumeSession session;
  private final Listener listener;

  /** Requests that are not done by their id, oldest first. */
  private final Map<Long, Waiting> requests = new LinkedHashMap<>();

  private final long patience;
  private final WaitReason waitReason = new WaitReason();
  private final IntegrityReason integrity = new IntegrityReason();
  private final Accuser accuser;
  private final DamageNotes damage;
  private final HandleNote note;

  /** What this session has kept of {@link VolumeSession#acknowledged}; -1 for nothing yet. */
  private long keptAcknowledged = -1;

  /** The same of {@link VolumeSession#durable}. */
  private long keptDurable = -1;

  /** Why it has ended, if what was acknowledged could not be kept; or null. */
  private SalusException notKept;

  private final Effects handler = new Effects();
  private long begin;
  private long lastId;

  /** When the last request was done, in nanoseconds; 0 for none. */
  private long answeredAt;

  private int ticks;
  private boolean leaseLost;
  private boolean over;

  /** How far the volume went back at the mount; null if it did not. */
  private SessionEffect.WentBack loss;

  /** Runs the ticks; null before the start. */
  private Loop.Timer timer;

  /**
   * @param mount under which claim to mount, and what must be there
   */
  SessionHost(VolumeSpec spec, MountEffect.Mount mount, MountTools tools, Listener listener) {
    Signer signer = tools.signer();
    this.spec = spec;
    this.loop = tools.loop();
    this.listener = listener;
    this.patience = tools.session().requestTimeoutNanos();
    this.transport = tools.transports().apply(new Endpoint.Session(spec.id(), mount.mountEpoch()));
    this.session = new VolumeSession(spec, mount.mountEpoch(), signer, tools.session());
    session.continueAfter(mount.needed(), mount.told(), mount.relied());
    this.accuser = new Accuser(spec, mount.mountEpoch(), signer, tools.store(), tools.blocking());
    this.note = tools.note();
    this.damage = new DamageNotes(spec, tools.store(), tools.blocking());
  }

  /** Begins to mount; to be called once, before anything else. */
  void start() {
    begin = loop.nanoTime();
    transport.open(
        new SessionTransport.Listener() {
          @Override
          public void received(Endpoint.Member from, Message message, ByteBuffer payload) {
            loop.execute(() -> SessionHost.this.received(from, message, payload));
          }

          @Override
          public void changed(int region, RrsRecord rrs) {
            loop.execute(() -> SessionHost.this.changed(region, rrs));
          }
        });
    timer = loop.scheduleEvery(TICK, this::tick);
  }

  private void received(Endpoint.Member from, Message message, ByteBuffer payload) {
    if (!over) {
      perform(session.onMessage(from, message, payload, loop.nanoTime()));
    }
  }

  private void changed(int region, RrsRecord rrs) {
    if (over) {
      return;
    }
    transport.greet();
    // A wrong server may say too early that the epoch serves. Its members must hear the word.
    perform(session.onOpening(region, rrs.epoch(), rrs.members().size(), loop.nanoTime()));
    if (over) {
      return;
    }
    if (rrs.state() == RrsRecord.State.SERVING) {
      perform(session.onRrs(region, rrs.epoch(), rrs.members().size(), loop.nanoTime()));
    } else if (rrs.state() == RrsRecord.State.FULL) {
      end(SessionError.NO_SPACE);
    }
  }

  private void tick() {
    if (ticks++ % TICKS_PER_HELLO == 0) {
      transport.greet();
    }
    if (!over) {
      perform(session.onTick(loop.nanoTime()));
    }
    if (!over) {
      watchOldest(loop.nanoTime());
    }
  }

  /**
   * Logs what the oldest request, or the mount, waits for, and ends the session when it takes too
   * long.
   */
  private void watchOldest(long now) {
    boolean mounting = !session.mounted();
    if (!mounting && requests.isEmpty()) {
      return;
    }
    long since = mounting ? begin : requests.values().iterator().next().since;
    if (waitReason.isDue(since, now)) {
      LOG.warn(
          "volume {}: {} since {} s, up to {} s: {}",
          spec.name(),
          mounting ? "is being mounted" : requests.size() + " requests wait, the oldest",
          TimeUnit.NANOSECONDS.toSeconds(now - since),
          TimeUnit.NANOSECONDS.toSeconds(patience),
          waitsFor());
    }
    if (now - since >= patience + (mounting ? 0 : GRACE_NANOS) && !session.waitsForOthers()) {
      end(SessionError.TIMED_OUT);
    }
  }

  /** Describes what keeps the volume from answering. */
  private String waitsFor() {
    String answers = session.waitsFor(loop.nanoTime());
    return !answers.isEmpty()
        ? answers
        : session.dispute().isEmpty()
            ? transport.waitsFor(answeredAt != 0 && loop.nanoTime() - answeredAt < LATELY_NANOS)
            : session.dispute()
                + "; one of them is wrong, and leaving it out takes another server: start one more,"
                + " or stop the wrong one";
  }

  @Override
  public CompletableFuture<SessionEffect.Outcome> read(
      long firstBlock, long count, ReadTarget into) {
    return request((id, now) -> session.read(id, firstBlock, count, into, now));
  }

  @Override
  public CompletableFuture<SessionEffect.Outcome> readToChange(long block, ReadTarget into) {
    return request((id, now) -> session.readToChange(id, block, into, now));
  }

  @Override
  public CompletableFuture<SessionEffect.Outcome> write(
      long firstBlock, ByteBuffer data, boolean sync) {
    return request((id, now) -> session.write(id, firstBlock, data, sync, now));
  }

  @Override
  public CompletableFuture<SessionEffect.Outcome> zero(long firstBlock, long count, boolean sync) {
    return request((id, now) -> session.zero(id, firstBlock, count, sync, now));
  }

  @Override
  public CompletableFuture<SessionEffect.Outcome> zeroMap(long firstBlock, long count) {
    return request((id, now) -> session.zeroMap(id, firstBlock, count, now));
  }

  @Override
  public CompletableFuture<SessionEffect.Outcome> flush() {
    return request(session::flush);
  }

  private CompletableFuture<SessionEffect.Outcome> request(Request r) {
    long id = ++lastId;
    if (notKept != null) {
      return CompletableFuture.completedFuture(
          new SessionEffect.Failed(id, SessionError.CLOSED, false));
    }
    CompletableFuture<SessionEffect.Outcome> result = new CompletableFuture<>();
    requests.put(id, new Waiting(result, loop.nanoTime()));
    perform(r.start(id, loop.nanoTime()));
    return result;
  }

  @Override
  public void close() {
    if (!over) {
      perform(session.close(loop.nanoTime()));
    }
  }

  /** See {@link VolumeSession#showNothingUnseen}. */
  void showNothingUnseen() {
    session.showNothingUnseen();
  }

  /** See {@link VolumeSession#goOnWith}. */
  void goOnWith(Room room) {
    session.goOnWith(room);
  }

  /** Sets the lease of the session's reads, see {@link VolumeSession#onLease}. */
  void extend(long readsUntil, long changesFrom) {
    if (!over) {
      perform(session.onLease(readsUntil, changesFrom, loop.nanoTime()));
    }
  }

  /** See {@link VolumeSession#acknowledgements}. */
  Acknowledgements acknowledgements() {
    return session.acknowledgements();
  }

  /** The seq up to which writes are acknowledged to the user, by earlier sessions too. */
  long acknowledged() {
    return session.acknowledged();
  }

  /** The seq up to which everything is known to be durable. */
  long durable() {
    return session.durable();
  }

  /** How far the volume went back at the mount; empty if it did not. */
  Optional<SessionEffect.WentBack> loss() {
    return Optional.ofNullable(loss);
  }

  /** See {@link VolumeSession#noted}. */
  void noted(SessionEffect.WentBack what) {
    if (!over) {
      perform(session.noted(what, loop.nanoTime()));
    }
  }

  /** Whether it is over, whatever ended it. */
  boolean isOver() {
    return over;
  }

  /** Ends at once; outstanding requests fail. */
  void end(SessionError why) {
    if (!over) {
      perform(session.end(why, loop.nanoTime()));
    }
  }

  /**
   * Stops without another word to the session, whose state may be wrong. Its requests get no
   * answer.
   */
  void drop() {
    if (!over) {
      over = true;
      timer.cancel();
      transport.close();
    }
  }

  /** Ends at once: the lease was taken over, or lost with ZooKeeper's session. */
  void loseLease() {
    leaseLost = true;
    end(SessionError.FENCED);
  }

  @Override
  public boolean endedWithLease(SessionError why) {
    return why == SessionError.FENCED && leaseLost;
  }

  @Override
  public SalusException exception(SessionError why) {
    return switch (why) {
      case FENCED -> SessionFailures.fenced(spec.name());
      case NO_SPACE -> SessionFailures.noSpace(spec.name());
      case INTEGRITY -> integrity.exception(spec.name());
      case TIMED_OUT -> SessionFailures.timedOut(spec.name(), patience, waitsFor());
      case CLOSED -> notKept != null ? notKept : SessionFailures.closed(spec.name());
    };
  }

  private void perform(List<SessionEffect> effects) {
    if (note.lasts() && session.mounted()) {
      try {
        keepAcknowledged();
      } catch (IOException failed) {
        endUnkept(failed);
        return;
      }
    }
    effects.forEach(e -> e.performBy(handler));
  }

  /** The user hears of nothing that is not kept: what was done is in doubt to him. */
  private void endUnkept(IOException failed) {
    if (over) {
      return;
    }
    notKept = SessionFailures.notKept(spec.name(), failed);
    LOG.error("{}", notKept.getMessage());
    drop();
    while (!requests.isEmpty()) {
      long id = requests.keySet().iterator().next();
      requests.remove(id).result.complete(new SessionEffect.Failed(id, SessionError.CLOSED, true));
    }
    listener.ended(this, SessionError.CLOSED);
  }

  /** The user must not hear of what the next process would not know. */
  private void keepAcknowledged() throws IOException {
    long acknowledged = session.acknowledged();
    long durable = session.durable();
    if (acknowledged != keptAcknowledged || durable != keptDurable) {
      note.relies(acknowledged, durable, session.acknowledgements());
      keptAcknowledged = acknowledged;
      keptDurable = durable;
    }
  }

  /** Performs the session's effects. */
  private final class Effects implements SessionEffect.Handler {
    @Override
    public void send(Send x) {
      SessionHost.this.send(x);
    }

    @Override
    public void done(SessionEffect.Done x) {
      finish(x);
    }

    @Override
    public void zeroMap(SessionEffect.ZeroMap x) {
      finish(x);
    }

    @Override
    public void failed(SessionEffect.Failed x) {
      finish(x);
    }

    private void finish(SessionEffect.Outcome x) {
      if (!(x instanceof SessionEffect.Failed)) {
        answeredAt = loop.nanoTime();
      }
      requests.remove(x.id()).result.complete(x);
    }

    @Override
    public void mounted(SessionEffect.Mounted x) {
      damage.begin();
      listener.mounted(SessionHost.this);
    }

    @Override
    public void ended(SessionEffect.Ended x) {
      stop(x.why());
    }

    @Override
    public void lookUp(SessionEffect.LookUp x) {
      // Nothing to do: the transport's directory follows every change of a record.
    }

    @Override
    public void wentBack(SessionEffect.WentBack x) {
      loss = x.served() ? loss : x;
      LOG.warn(
          "volume {}: all servers of a region lost writes that were acknowledged and not flushed,"
              + " as in a power cut; {} PUT {} of {}",
          spec.name(),
          x.served() ? "the volume goes back, at most to" : "the volume is as it was after",
          x.prefix(),
          x.acked());
      listener.wentBack(SessionHost.this, x);
    }

    @Override
    public void stalled(Stalled x) {
      LOG.warn(
          "volume {} region {} member {} ({}) {}",
          spec.name(),
          x.region(),
          x.lane(),
          node(x.region(), x.lane()),
          x.what());
      accuser.tell(x);
    }

    @Override
    public void disagree(SessionEffect.Disagree x) {
      logError(x.region(), x.lane(), x.what());
      accuser.tell(x);
    }

    @Override
    public void report(SessionEffect.Report x) {
      logError(x.region(), x.lane(), x.what());
      integrity.note(x);
      accuser.tell(x);
    }

    private void logError(int region, int lane, String what) {
      LOG.error(
          "volume {} region {} member {} ({}): {}",
          spec.name(),
          region,
          lane,
          node(region, lane),
          what);
    }

    @Override
    public void unreadable(SessionEffect.Unreadable x) {
      damage.add(x);
    }

    @Override
    public void readable(SessionEffect.Readable x) {
      damage.remove(x);
    }
  }

  private String node(int region, int lane) {
    return region < 0 || lane < 0 ? "all" : transport.node(region, lane);
  }

  private void send(Send s) {
    if (s.to() instanceof Endpoint.Member m) {
      transport.send(m, s.message(), s.payload());
    }
  }

  private void stop(SessionError why) {
    over = true;
    timer.cancel();
    transport.close();
    listener.ended(this, why);
  }
}
