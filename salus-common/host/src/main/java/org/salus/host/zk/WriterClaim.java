package org.salus.host.zk;

import java.lang.management.ManagementFactory;
import java.util.UUID;
import org.salus.core.mount.Claimant;
import org.salus.core.mount.KeptMount;
import org.salus.core.mount.MountRules;

/**
 * A request of this process to write a volume. Immutable.
 *
 * @param holder the text that describes this process to others
 * @param service the service's name, machine included, which one process at a time can have; or
 *     empty
 * @param force whether to end a present writer's lease
 * @param user who claims, and for whom. By this, a claim whose answer was lost is recognised
 * @param after the mount epoch of the last claim with this id that was used; 0 for none
 * @param withoutUser whether it is the master's, which settles what a writer has left. Everybody
 *     else may end its lease
 */
public record WriterClaim(
    String holder, String service, boolean force, KeptMount user, long after, boolean withoutUser) {

  /** A claim with an id of its own. */
  public WriterClaim(String holder, String service, boolean force) {
    this(holder, service, force, anybody(), 0, false);
  }

  /** The master's claim of a volume that has no writer. */
  public static WriterClaim withoutUser(String holder) {
    return new WriterClaim(holder, "", false, anybody(), 0, true);
  }

  private static KeptMount anybody() {
    return KeptMount.none(Claimant.alone(UUID.randomUUID().toString()));
  }

  /** The same claim of this process of a user. */
  public WriterClaim by(KeptMount process) {
    return new WriterClaim(holder, service, force, process, after, withoutUser);
  }

  /** Who claims. */
  public Claimant claimant() {
    return user.by();
  }

  /** The id of the user's claims. */
  public String id() {
    return claimant().user();
  }

  /**
   * Another claim of the same writer.
   *
   * @param by whether to end a present writer's lease
   * @param last the mount epoch of the last claim that was used; 0 for none
   */
  public WriterClaim again(boolean by, long last) {
    return new WriterClaim(holder, service, by, user, last, withoutUser);
  }

  /** This process' id. */
  private static long pid() {
    return ProcessHandle.current().pid();
  }

  /** The record of this claim, taken now. */
  WriterRecord record(long mountEpoch) {
    return new WriterRecord(
        holder,
        System.currentTimeMillis(),
        mountEpoch,
        service,
        pid(),
        id(),
        withoutUser,
        claimant().generation(),
        claimant().process());
  }

  /** Whether the present writer's record was written by a claim of this handle. */
  boolean isMine(WriterRecord present) {
    return claimant().equals(present.claimant());
  }

  /**
   * Whether the claim ends the present writer's lease: by force, or because that writer is over, is
   * an earlier process of the same user, or has no user.
   */
  boolean putsOut(WriterRecord present) {
    return force
        || knowsAsEnded(present)
        || MountRules.PAPER.isEarlier(present.claimant(), user)
        || present.withoutUser() && !withoutUser;
  }

  /**
   * Whether the present writer reads and writes nothing more: it is an earlier claim of this one's
   * handle, or the same service in a process that has ended.
   */
  boolean knowsAsEnded(WriterRecord present) {
    return isMine(present)
        || !service.isEmpty() && service.equals(present.service()) && hasEnded(present);
  }

  /**
   * Whether the present writer's process has ended. In containers both processes may have the same
   * id; then the start times decide.
   */
  private boolean hasEnded(WriterRecord present) {
    return present.pid() == pid()
        ? present.since() < ManagementFactory.getRuntimeMXBean().getStartTime()
        : ProcessHandle.of(present.pid()).filter(ProcessHandle::isAlive).isEmpty();
  }
}
