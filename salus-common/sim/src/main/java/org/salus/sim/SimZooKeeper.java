package org.salus.sim;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.salus.core.mount.Claimant;
import org.salus.core.mount.LossRules;
import org.salus.core.mount.Reader;
import org.salus.sim.check.Checker;
import org.salus.sim.store.SimNotes;

/**
 * ZooKeeper's records of the volume's writers, and the way there and back. Production has them in
 * {@code WriterClaims} and {@code WriterLease}.
 */
final class SimZooKeeper {
  /** In chaos one of so many answers is late, and one of so many is lost. */
  private static final int SELDOM = 20;

  /** The time after which a lost connection is noticed. */
  private static final long NOTICED = 300 * Clock.MILLI;

  private final Simulation sim;
  private final Random random;
  private long mountEpoch;

  /** The mount epoch of the writer whose session lives; 0 is none. */
  private long writer;

  private final TreeMap<Long, Reader> readers = new TreeMap<>();

  /** Every claim that was ever committed, by mount epoch. */
  private final TreeMap<Long, Reader> claims = new TreeMap<>();

  /** By whom. */
  private final TreeMap<Long, SimClient> claimers = new TreeMap<>();

  private final SimNotes notes;

  SimZooKeeper(Simulation sim, Random random, Random ofNotes, LossRules rules) {
    this.sim = sim;
    this.random = random;
    this.notes = new SimNotes(new HostOfNotes(), sim.spec.id(), ofNotes, rules);
  }

  /** What it knows of losses. */
  SimNotes notes() {
    return notes;
  }

  /** Runs the notes. */
  private final class HostOfNotes implements SimNotes.Host {
    @Override
    public void after(long nanos, Runnable what) {
      sim.clock.after(nanos, what);
    }

    @Override
    public boolean isChaos() {
      return sim.isChaos();
    }

    @Override
    public void trace(String line) {
      sim.trace(line);
    }

    @Override
    public void tell(Consumer<Checker> event) {
      sim.checks.tell(event);
    }
  }

  /** What became of a claim: the mount epoch that it got, or 0 and who has the volume. */
  record Answer(long mountEpoch, Claimant takenBy) {}

  /**
   * Carries a request of a client there and its answer back. What is under way when the client is
   * cut off gets there, and its answer comes late. So do many answers shortly before.
   *
   * @param commit what ZooKeeper does
   * @param unknown what the client does when it gets no answer
   */
  <T> void ask(SimClient by, Supplier<T> commit, Consumer<T> answer, Runnable unknown) {
    if (by.isCutOff() || isSeldom()) {
      sim.clock.after(NOTICED, unknown);
    } else {
      sim.clock.after(sim.smallDelay(), () -> arrive(by, commit, answer, unknown));
    }
  }

  private <T> void arrive(SimClient by, Supplier<T> commit, Consumer<T> answer, Runnable unknown) {
    T is = commit.get();
    if (isSeldom()) {
      sim.clock.after(NOTICED, unknown);
      return;
    }
    sim.clock.after(
        sim.smallDelay(),
        () -> {
          boolean late = by.isCutOff() || isSeldom() || by.isResting() && random.nextBoolean();
          long more = late ? random.nextInt((int) sim.leases().leaseNanos()) : 0;
          sim.clock.after(more, () -> answer.accept(is));
        });
  }

  private boolean isSeldom() {
    return sim.isChaos() && random.nextInt(SELDOM) == 0;
  }

  /** Claims the volume. A claim of that client which was not used yet stands. */
  Answer claim(SimClient by, long after, boolean force) {
    Claimant claimant = by.claimant();
    boolean own = isWriter(by);
    if (own && writer > after) {
      return new Answer(writer, claimant);
    }
    if (writer != 0 && !own && !force && !putsOut(by, claims.get(writer))) {
      return new Answer(0, claims.get(writer).claimant());
    }
    mountEpoch++;
    sim.checks.fenced(mountEpoch);
    writer = mountEpoch;
    Reader made = new Reader(writer, 0, claimant, false, by.isWithoutUser());
    readers.put(writer, made);
    claims.put(writer, made);
    claimers.put(writer, by);
    return new Answer(writer, claimant);
  }

  private boolean putsOut(SimClient by, Reader present) {
    return present.withoutUser() || sim.mounts().isEarlier(present.claimant(), by.begun());
  }

  private boolean isWriter(SimClient c) {
    return writer != 0 && claimers.get(writer) == c;
  }

  /** The number of the newest mount. */
  long mountEpoch() {
    return mountEpoch;
  }

  /** Whether nobody has the volume, though a writer was not closed. */
  boolean isUnsettled() {
    return writer == 0 && !readers.isEmpty() && !readers.lastEntry().getValue().withoutUser();
  }

  /** Whether a user has the volume. */
  boolean hasUser() {
    return writer != 0 && !claims.get(writer).withoutUser();
  }

  /**
   * Whether another user, or a process of the same one with whose note this one did not begin, has
   * claimed the volume between two mounts of a client.
   */
  boolean isOvertaken(SimClient client, long earlier, long next) {
    return claimers.subMap(earlier, false, next, false).values().stream()
        .anyMatch(by -> !by.isWithoutUser() && !client.isOrFollows(by));
  }

  List<Reader> readers() {
    return new ArrayList<>(readers.values());
  }

  /** Confirms a claim. Returns whether it stands. */
  boolean confirm(long claimed) {
    Reader r = readers.get(claimed);
    if (claimed != mountEpoch || r == null) {
      return false;
    }
    readers.put(
        claimed, new Reader(claimed, r.version() + 1, r.claimant(), false, r.withoutUser()));
    return true;
  }

  void forget(Collection<Long> mountEpochs) {
    readers.keySet().removeAll(mountEpochs);
  }

  void giveBack(long claimed, boolean withRecord) {
    if (writer == claimed) {
      writer = 0;
    }
    readers.values().removeIf(r -> withRecord && r.mountEpoch() == claimed && !r.withoutUser());
  }

  /** Removes what a client has claimed, whatever became of it, and its records up to a mount's. */
  void giveUp(SimClient by, long upTo) {
    expire(by);
    readers.keySet().removeIf(epoch -> epoch <= upTo && isRecord(epoch, by));
  }

  /**
   * Whether a claim of a client stands, or the record of one of its readers. One of a mount that
   * was not kept is to stay.
   */
  boolean knows(SimClient by) {
    return isWriter(by)
        || readers.keySet().stream()
            .anyMatch(epoch -> epoch <= by.newestKept() && isRecord(epoch, by));
  }

  private boolean isRecord(long epoch, SimClient by) {
    return claimers.get(epoch) == by && !by.isWithoutUser();
  }

  /** A client's session ends, and its claim with it. */
  void expire(SimClient c) {
    if (isWriter(c)) {
      writer = 0;
    }
  }
}
