package org.salus.sim.store;

import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.mount.LossRecord;
import org.salus.core.mount.LossRules;
import org.salus.core.mount.RetryPause;
import org.salus.sim.check.Checker;

/**
 * ZooKeeper's record of what the volume has lost, and its last mount. In chaos a note fails, comes
 * late, or takes effect while its answer is lost. Its writer then tries again. Production has this
 * in {@code ClusterReports} and {@code LastingNote}.
 */
public final class SimNotes {
  private static final long MILLI = 1_000_000;

  /** The time after which a writer takes a try for failed. */
  private static final long NOTICED = 300 * MILLI;

  /** The most by which a note is late, and an operator. In milliseconds. */
  private static final int LATE = 3_000;

  private static final int SOON = 3;

  /** The most tries of a note that fail. Its mount may wait for it, and pauses grow to a minute. */
  private static final int FAILURES = 5;

  /** The run around it. */
  public interface Host {
    /** Does something later. */
    void after(long nanos, Runnable what);

    boolean isChaos();

    void trace(String line);

    void tell(Consumer<Checker> event);
  }

  private final Host host;
  private final Random random;
  private final LossRules rules;
  private LossRecord losses;
  private ConfirmedRecord confirmed;
  private int pending;

  public SimNotes(Host host, long volume, Random random, LossRules rules) {
    this.host = host;
    this.random = random;
    this.rules = rules;
    this.losses = LossRecord.nothing(volume);
    this.confirmed = ConfirmedRecord.none(volume);
  }

  /** Who writes a note. */
  public interface Writer {
    /** Whether its process has ended. */
    boolean isGone();

    /** Whether its mount has found otherwise since. */
    boolean isWithdrawn();

    /** ZooKeeper has taken the note, and the writer hears of it. */
    void taken();
  }

  /**
   * Notes a loss.
   *
   * @param wait how long ZooKeeper takes for the first try, in nanoseconds
   */
  public void lost(LossRecord.Loss found, long wait, Writer writer) {
    begin(new Note(writer, () -> add(found)), wait);
  }

  /** Notes that a mount has found the volume whole. */
  public void confirmed(ConfirmedRecord mount, BooleanSupplier isGone) {
    Writer writer =
        new Writer() {
          @Override
          public boolean isGone() {
            return isGone.getAsBoolean();
          }

          @Override
          public boolean isWithdrawn() {
            return false;
          }

          @Override
          public void taken() {}
        };
    begin(new Note(writer, () -> confirm(mount)), soon());
  }

  /** Whether no note is being written any more. */
  public boolean isIdle() {
    return pending == 0;
  }

  private long soon() {
    return MILLI * (1 + random.nextInt(SOON));
  }

  private void begin(Note note, long wait) {
    pending++;
    note.write(wait);
  }

  /** A note until ZooKeeper has taken it. */
  private final class Note {
    private final Writer writer;
    private final Runnable commit;
    private final RetryPause pauses = RetryPause.ofNotes();
    private int failures;

    Note(Writer writer, Runnable commit) {
      this.writer = writer;
      this.commit = commit;
    }

    /** What is on its way gets there, also when its writer has ended meanwhile. */
    void write(long wait) {
      switch (host.isChaos() && failures < FAILURES ? random.nextInt(4) : -1) {
        case 0 -> host.after(NOTICED, this::failed);
        case 1 -> {
          host.after(MILLI * random.nextInt(LATE), commit);
          host.after(NOTICED, this::failed);
        }
        default ->
            host.after(
                wait,
                () -> {
                  commit.run();
                  host.after(soon(), this::taken);
                });
      }
    }

    private void taken() {
      pending--;
      writer.taken();
    }

    private void failed() {
      failures++;
      host.after(
          pauses.next(),
          () -> {
            if (!writer.isGone() && rules.isWrittenAgain(writer.isWithdrawn())) {
              write(soon());
            } else {
              pending--;
            }
          });
    }
  }

  private void confirm(ConfirmedRecord mount) {
    confirmed = confirmed.with(mount, rules);
    host.tell(c -> c.confirmedWhole(mount, confirmed));
  }

  private void add(LossRecord.Loss found) {
    losses = losses.with(found, confirmed.byUser(), rules);
    host.trace("ZooKeeper has the note " + found + ": " + losses.losses());
    host.tell(c -> c.noted(found.mountEpoch(), found.prefix(), found.acked()));
    host.tell(c -> c.lossNoted(found, losses.losses()));
    if (!losses.losses().isEmpty() && random.nextBoolean()) {
      List<LossRecord.Loss> seen = losses.losses();
      host.after(MILLI * random.nextInt(LATE), () -> accept(seen));
    }
  }

  /** An operator has looked at what is noted, and accepts that. */
  private void accept(List<LossRecord.Loss> seen) {
    losses = losses.accept(seen, rules);
    host.trace("an operator accepts " + seen + ": " + losses.losses());
    host.tell(c -> c.lossesAccepted(seen, losses.losses()));
  }
}
