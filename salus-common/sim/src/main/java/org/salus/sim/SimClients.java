package org.salus.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.MountEffect;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;
import org.salus.core.session.block.HashedBlocks;

/** The clients of a run, and the sessions that they have had. */
final class SimClients {
  /** Small enough that some reads wait for others. */
  private static final int READ_BYTES = 16 * VolumeSpec.MIN_BLOCK;

  /** So few that some changes of parts of blocks must read. */
  private static final long RECENT_BLOCKS = 24;

  private static final long SESSION_RESENDS = 200 * Clock.MILLI;

  /** One of so many processes ends after a claim. */
  private static final int SELDOM = 3;

  /** Users wait so long for a session that has lived through a power cut. */
  private static final long PATIENCE = 60 * Clock.SECOND;

  private final Simulation sim;
  private final SimOptions options;

  /** Picks the session of a request. */
  private final Random random;

  private final Random timeouts;

  /** Every session that there was, by mount epoch. */
  private final TreeMap<Long, SimSession> sessions = new TreeMap<>();

  private final List<SimClient> clients = new ArrayList<>();
  private long skew;

  /** Whether users' processes end at any step, and others go on for them. */
  private boolean restarting;

  /** Picks when. */
  private final Random restarts;

  SimClients(Simulation sim, SimOptions options, Random random, Random timeouts, Random restarts) {
    this.restarts = restarts;
    this.sim = sim;
    this.options = options;
    this.random = random;
    this.timeouts = timeouts;
  }

  /** A new client takes the volume over. */
  void mount() {
    newClient(false).takeOver();
  }

  /** A new client mounts the volume when nobody has it. */
  void mountWhenFree() {
    newClient(false).openWhenFree();
  }

  /** The master mounts the volume and closes it. */
  void settle() {
    newClient(true).openWhenFree();
  }

  /**
   * Another process goes on for the user of the newest client, which may go on, too. If none may, a
   * new user takes the volume over.
   *
   * @param ends whether the process of that client ends before
   */
  void nextProcess(boolean ends) {
    SimClient of = newest();
    SimClient next = of.isClosing() ? null : of.next(clients.size() + 1, restarts);
    if (ends) {
      of.kill();
    }
    if (next == null) {
      mount();
      return;
    }
    sim.trace(next.id() + " goes on after " + of.id() + (ends ? "" : ", which may go on, too"));
    clients.add(next);
    next.goOn();
  }

  /** Sets whether users' processes end shortly after they have claimed the volume. */
  void setRestarting(boolean on) {
    restarting = on;
  }

  /** A process of a user has sent a claim. */
  void claimed(SimClient by) {
    if (restarting && restarts.nextInt(SELDOM) == 0) {
      sim.clock.after(sim.smallDelay() * restarts.nextInt(SELDOM), () -> endAndGoOn(by));
    }
  }

  private void endAndGoOn(SimClient by) {
    SimClient next = sim.isChaos() && by.mayClose() ? by.next(clients.size() + 1, restarts) : null;
    if (next != null) {
      by.kill();
      sim.trace(next.id() + " goes on after " + by.id() + ", which has claimed the volume");
      clients.add(next);
      next.goOn();
    }
  }

  private SimClient newClient(boolean withoutUser) {
    SimClient made = new SimClient(sim, clients.size() + 1, withoutUser, timeouts);
    clients.add(made);
    return made;
  }

  /**
   * A client has a claim and begins to mount.
   *
   * @param before the session whose user goes on, or null for a new user
   */
  SimSession newSession(SimClient client, MountEffect.Mount x, SimSession before) {
    long mountEpoch = x.mountEpoch();
    long resend =
        options.deployed() ? SessionConfig.defaults().resendAfterNanos() : SESSION_RESENDS;
    long recent = RECENT_BLOCKS * sim.spec.blockSize();
    SessionConfig config =
        new SessionConfig(16, 24, resend, 600 * Clock.SECOND, 256, READ_BYTES, recent);
    VolumeSession session =
        new VolumeSession(
            sim.spec,
            mountEpoch,
            sim.signer(),
            config,
            new HashedBlocks(),
            options.rules().sessions());
    session.continueAfter(x.needed(), x.told(), x.relied());
    SimSession s = new SimSession(sim, client, mountEpoch, session, before);
    sessions.put(mountEpoch, s);
    sim.trace("mount " + mountEpoch);
    return s;
  }

  /** How long ZooKeeper keeps the session of a silent client, in nanoseconds. */
  long sessionTimeout() {
    return Clock.MILLI * (100 + timeouts.nextInt(500));
  }

  // ---- which there are ----

  /** The session of a mount epoch, or null. */
  SimSession session(long mountEpoch) {
    return sessions.get(mountEpoch);
  }

  /** The newest session, of a new client if that one is dead. */
  SimSession live() {
    SimSession last = any() == null ? null : sessions.lastEntry().getValue();
    if (last != null && sim.checks.mayLose(last)) {
      last.client.kill();
    }
    if (last == null || last.isDead() || last.client.isClosing()) {
      mount();
    }
    return sessions.lastEntry().getValue();
  }

  /**
   * Whether the newest session waits, long after a power cut, for what perhaps only the disk of a
   * wrong server still has. Its user is told to close the volume, and {@link #live} does so.
   */
  boolean waitInVain() {
    SimSession last = sessions.lastEntry().getValue();
    return sim.clock.now() > PATIENCE
        && sim.budget().isTainted()
        && !last.isDead()
        && sim.checks.mayLose(last);
  }

  /**
   * The session that a new request goes to, mostly the newest one, or null. A client that rests or
   * is closed gets none.
   */
  SimSession any() {
    List<SimSession> alive = new ArrayList<>();
    for (SimSession s : sessions.values()) {
      if (!s.isDead() && !s.client.isResting() && !s.client.isClosing()) {
        alive.add(s);
      }
    }
    return alive.isEmpty()
        ? null
        : random.nextInt(4) == 0
            ? alive.get(random.nextInt(alive.size()))
            : alive.get(alive.size() - 1);
  }

  /** The sessions of a client that is cut off and of the newest client, as far as they can read. */
  List<SimSession> racing(SimClient cutOff) {
    SimSession newest = sessions.lastEntry().getValue();
    return sessions.values().stream()
        .filter(s -> s == newest || s.client == cutOff)
        .filter(s -> !s.isDead() && s.session.mounted() && !s.client.isClosing())
        .toList();
  }

  /** Whether a client is cut off. */
  boolean hasCutOff() {
    return clients.stream().anyMatch(SimClient::isCutOff);
  }

  /** The newest client if it has the volume mounted and is not cut off, or null. */
  SimClient writer() {
    SimSession last = sessions.lastEntry().getValue();
    boolean writes = !last.isDead() && last.session.mounted();
    return writes && !last.client.isCutOff() && !last.client.isClosing() ? last.client : null;
  }

  /** The client that has begun the last mount. */
  SimClient newest() {
    return sessions.lastEntry().getValue().client;
  }

  /** Whether every client has finished what it began. */
  boolean isSettled() {
    return clients.stream().noneMatch(SimClient::isUnsettled);
  }

  // ---- what happens to them ----

  /** The master opens a new epoch of a region. */
  void opening(int region) {
    sessions.values().forEach(s -> s.opening(region));
  }

  /** A region serves an epoch. */
  void serving(int region, int epoch) {
    sessions.values().forEach(s -> s.rrs(region, epoch));
  }

  /** Kills all clients. */
  void crash() {
    clients.forEach(SimClient::kill);
  }

  /** The clients' machines, which have lost power, run again. */
  void powerIsBack() {
    clients.forEach(SimClient::losesPower);
    if (restarting) {
      nextProcess(true);
    } else {
      mount();
    }
  }

  /** Kills all clients but the one that mounted last, and those that only note a loss. */
  void crashBefore() {
    SimClient last = sessions.lastEntry().getValue().client;
    clients.stream().filter(c -> c != last).forEach(SimClient::killUnlessItNotes);
  }

  /** ZooKeeper takes the volume from its writer. */
  void loseLease() {
    SimSession writer = sessions.lastEntry().getValue();
    if (!writer.isDead()) {
      sim.checks.fenced(writer.mountEpoch + 1);
      writer.client.loseClaim();
    }
  }

  /** No session of this client follows. A volume without a client is mounted after a while. */
  void over(SimClient c) {
    sim.clock.after(
        Clock.MILLI * 500,
        () -> {
          boolean isLast = c == sessions.lastEntry().getValue().client;
          if (sim.isChaos() && (isLast && needsUser(c) || hasNoUser())) {
            mount();
          }
        });
  }

  /** A client has ended and says that it leaves nothing behind. If it was closed, another opens. */
  void handleDone(SimClient c) {
    sim.checks.handleDone(c.id(), sim.zooKeeper().knows(c));
    if (sim.isChaos() && c.isClosing() && needsUser(c)) {
      mountWhenFree();
    }
  }

  /** Whether another client is to come after this one: after the master, a user may come back. */
  private boolean needsUser(SimClient after) {
    return !after.isWithoutUser() || hasNoUser();
  }

  private boolean hasNoUser() {
    return clients.stream().allMatch(c -> c.isWithoutUser() || c.hasEnded());
  }

  /** How far the clocks of clients are ahead, in nanoseconds. */
  long skew() {
    return skew;
  }

  void skew(long by) {
    skew += by;
  }
}
