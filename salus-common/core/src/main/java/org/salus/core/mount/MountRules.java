package org.salus.core.mount;

import java.util.Collection;
import java.util.Comparator;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The rules of leases and of mounting again. The default of each rule is the product's. Tests
 * inject others to prove that a checker notices. An implementation holds no state.
 */
public interface MountRules {
  /** The rules that the promises need. */
  MountRules PAPER = new MountRules() {};

  /** An earlier writer's record, and when this client first saw it as it is now, in nanoseconds. */
  record Look(Reader reader, long firstSeen) {}

  /**
   * When the lease is over. It counts from the sending: the next writer may have looked, and begun
   * to wait, as soon as the confirmation was committed.
   *
   * @param askedAt when the confirmation was sent, in nanoseconds
   * @param answeredAt when its answer came
   */
  default long leaseEnd(long askedAt, long answeredAt, long leaseNanos) {
    return askedAt + leaseNanos;
  }

  /**
   * From when on no earlier writer reads. Each of them counts, since several leases may stand.
   *
   * @param earlier the earlier writers that were not closed
   */
  default long changesFrom(Collection<Look> earlier, long now, long waitNanos) {
    return earlier.stream()
        .filter(x -> x.reader().mayRead())
        .map(x -> x.firstSeen() + waitNanos)
        .max(Comparator.comparingLong(at -> at - now))
        .filter(at -> at - now > 0)
        .orElse(now);
  }

  /**
   * Whether the volume may hold changes, from its beginning under this mount, that an earlier
   * writer under a lease does not know. The writer of the mount just before knows everything. An
   * older one does not: a mount in between may have left changes that it did not acknowledge,
   * unless it had no user.
   *
   * @param earlier the earlier writers that were not closed
   */
  default boolean hasUnseen(Collection<Look> earlier, long mountEpoch) {
    Set<Long> withoutUser =
        earlier.stream()
            .map(Look::reader)
            .filter(Reader::withoutUser)
            .map(Reader::mountEpoch)
            .collect(Collectors.toSet());
    return earlier.stream()
        .map(Look::reader)
        .filter(Reader::mayRead)
        .anyMatch(
            r -> !LongStream.range(r.mountEpoch() + 1, mountEpoch).allMatch(withoutUser::contains));
  }

  /**
   * Whether records of earlier writers may be removed. A writer after this one must find those
   * whose leases may stand.
   *
   * @param changesFrom when no earlier writer reads any more
   */
  default boolean mayForget(long now, long changesFrom) {
    return now - changesFrom >= 0;
  }

  /** Whether a record is as it was at the look before. Otherwise its lease was made longer. */
  default boolean isUnchanged(Reader before, Reader now) {
    return before.version() == now.version() && before.claimant().equals(now.claimant());
  }

  /**
   * Whether a handle that has ended leaves no claim behind. Until then, it goes on giving up
   * whatever it may have claimed.
   *
   * @param asks whether an answer about one of its claims is under way
   * @param unsettled whether it is not known what became of one
   */
  default boolean leavesNothing(boolean asks, boolean unsettled) {
    return !asks && !unsettled;
  }

  /**
   * Whether a handle may go on with a mount: no other writer had the volume since its last one. If
   * there are fewer mounts than before, ZooKeeper was put back, and nobody knows who had it.
   *
   * @param last the mount epoch of the last mount of the handle's user; 0 is none
   * @param harmless whether a mount between {@linkplain #isHarmless was no other writer's}
   */
  default boolean follows(long last, long next, LongPredicate harmless) {
    return last == 0 || next > last && LongStream.range(last + 1, next).allMatch(harmless);
  }

  /**
   * Whether a handle goes on after a session that ended with an integrity error. A user who accepts
   * losses of what was not flushed still accepts no other error.
   *
   * @param lost whether the session has lost what it acknowledged itself
   * @param acceptsLoss whether the user goes on without what was not flushed
   */
  default boolean goesOnAfterLoss(boolean lost, boolean acceptsLoss) {
    return lost && acceptsLoss;
  }

  /**
   * Up to which seq changes were acknowledged to the user since the last mount that has noted what
   * of it is lost.
   *
   * @param before the same, before the session that has ended now
   * @param acknowledged by that session
   */
  default long toldSince(long before, long acknowledged) {
    return Math.max(before, acknowledged);
  }

  /**
   * Whether a mount between two of a handle has changed nothing that its user does not know: it was
   * the handle's own, whose claim it gave up, or that of an earlier process of the user, or
   * nobody's.
   *
   * @param by who goes on
   */
  default boolean isHarmless(Reader between, KeptMount by) {
    return between.withoutUser()
        || between.claimant().equals(by.by())
        || isEarlier(between.claimant(), by);
  }

  // ---- several processes of one user ----

  /**
   * Whether a claim is that of an earlier process of the same user, with whose note this one began.
   * This one ends that for good, and takes its claim over. A later process is another writer for an
   * earlier one. So are two for each other that began with copies of one note, and all that go on
   * from there: neither knows what the other one has acknowledged.
   */
  default boolean isEarlier(Claimant claim, KeptMount by) {
    return claim.generation() < by.by().generation() && by.before().contains(claim);
  }

  /** The generation of a process that begins with what one of this generation has kept. */
  default long nextGeneration(long earlier) {
    return earlier + 1;
  }

  /** With what of its user's last mount a process goes on: with all. */
  default KeptMount goesOnWith(KeptMount kept) {
    return kept;
  }

  /**
   * Whether a process may go on with what was kept. The machine may have ended before all of it was
   * on disk, and so before all of what was acknowledged.
   *
   * @param isCertain whether it is known that all of it is there
   * @param synced whether all that the volume acknowledges is durable
   */
  default boolean mayGoOn(boolean isCertain, boolean synced) {
    return isCertain || synced;
  }

  /**
   * The newest mount whose record goes with its claim. The next process of the user does not know
   * of one that was not kept, and must see that it was no other writer's.
   *
   * @param lasts whether another process may go on for the user
   * @param kept the newest mount that was kept
   */
  default long newestToForget(boolean lasts, long kept) {
    return lasts ? kept : Long.MAX_VALUE;
  }
}
