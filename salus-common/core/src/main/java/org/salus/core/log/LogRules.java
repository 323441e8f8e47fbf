package org.salus.core.log;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.salus.core.Refusal;
import org.salus.core.Signer;
import org.salus.core.log.LogState.No;
import org.salus.core.path.FilePath;

/**
 * The rules of a region's log: which record may come next, and what a log proves. {@link LogState}
 * and {@link LogReader} ask them. The default of each rule is the product's. Tests inject others to
 * prove that a checker notices. An implementation holds no state.
 */
public interface LogRules {
  /** The rules that the promises need. */
  LogRules PAPER = new LogRules() {};

  /**
   * Whether all members of the epoch have signed the record: the PUT-log certificate (paper
   * §4.2.3).
   *
   * @param signatures in chain order, or null where no trailer can be read
   */
  default boolean isCertified(
      LogRecord r, List<String> members, List<byte[]> signatures, Signer signer) {
    return signatures != null && r.certifiedBy(members, signatures, signer);
  }

  /**
   * Whether a replica counts as far as a reader has found it valid (paper §4.4, phase 2). Bytes
   * that a disk or the network did not give are not the end of the log.
   *
   * @param unsure whether some bytes could not be read, so that they are unknown
   */
  default boolean isReadThrough(boolean unsure) {
    return !unsure;
  }

  /**
   * Whether a holder's log counts: it has records of the epoch that served last. One that ends
   * before has lost what was acknowledged since.
   *
   * @param newest the newest epoch in the log
   * @param served the epoch that served last
   */
  default boolean hasReached(int newest, int served) {
    return newest >= served;
  }

  /**
   * Checks whether the next record may be this sub-batch (paper §4.1). It must be of the newest
   * mount, of no older view, and follow the record that its prevNum names. Returns null, or why
   * not.
   */
  default No mayPut(LogState log, SubBatch b) {
    if (b.mountEpoch() < log.mountEpoch()) {
      return new No(Refusal.FENCED, 0);
    }
    long last = log.lastSeq();
    if (b.mountEpoch() > log.mountEpoch() || !log.resolved()) {
      return new No(Refusal.OUT_OF_ORDER, last);
    }
    if (b.view() < log.view()) {
      return new No(Refusal.DAMAGED, last);
    }
    boolean newView = b.view() > log.view();
    boolean follows = !newView && b.prevNum() == last;
    boolean skips = newView || b.prevNum() > last;
    if (follows || skips && log.followsAcknowledged(b)) {
      return null;
    }
    No lost = lost(b.prevNum(), b.acked(), last);
    return lost != null
        ? lost
        : new No(Refusal.OUT_OF_ORDER, newView ? Math.min(last, b.acked()) : last);
  }

  /**
   * Checks whether a log lacks what all lanes have committed, so that waiting for it is useless.
   * Returns null, or the refusal that says so.
   *
   * @param prevNum the seq that a sub-batch, a GET or a page request names
   * @param acked the seq up to which all lanes have committed, as the session says
   * @param lastSeq the last seq in the log
   */
  default No lost(long prevNum, long acked, long lastSeq) {
    return prevNum <= acked && prevNum > lastSeq ? new No(Refusal.LOST, lastSeq) : null;
  }

  /**
   * Checks that a mount is newer than every mount before (paper §4.3). After a replacement it may
   * come again until it is resolved. Returns null, or why not.
   */
  default No mayMount(LogState log, MountBody m) {
    if (m.mountEpoch() < log.mountEpoch()) {
      return new No(Refusal.FENCED, 0);
    }
    return m.mountEpoch() == log.mountEpoch() && log.resolved() ? new No(Refusal.BUSY, 0) : null;
  }

  /**
   * A resolution is the mount's first word (paper §4.4, phase 3); after a replacement it may come
   * again. It may not cut a batch, nor what is durable. After it every region counts from the
   * prefix. Null, or why not.
   */
  default No mayResolve(LogState log, ResolveBody r) {
    if (r.mountEpoch() != log.mountEpoch()) {
      boolean older = r.mountEpoch() < log.mountEpoch();
      return new No(older ? Refusal.FENCED : Refusal.OUT_OF_ORDER, log.lastSeq());
    }
    boolean again = log.resolved() && log.isResolvedAt(r.prefix());
    return log.resolved() && !again || log.cuts(r.prefix()) ? new No(Refusal.BUSY, 0) : null;
  }

  /**
   * Whether the NameNode may do the deed to a file in this state (paper §4.2.3), if a {@link
   * Permission} allows the deed. An epoch that does not serve yet may never do so. Until then it
   * takes nothing from the one before.
   *
   * @param serves whether the NameNode knows that the region's newest epoch serves
   */
  default boolean mayChange(Permission.Deed deed, Permission.FileState before, boolean serves) {
    return deed.fits(before) && (serves || !deed.ends());
  }

  /**
   * Whether the deed comes in its turn (paper §4.2.3): a segment is created, and gets its block,
   * only behind all others, and of those that a manifest discards the oldest is deleted first.
   *
   * @param shown allows the deed
   * @param there the numbers of the region's segments whose files exist
   */
  default boolean isInTurn(
      Permission.Deed deed,
      FilePath.Kind kind,
      long number,
      Permission shown,
      Collection<Long> there) {
    return shown.isInTurn(deed, kind, number, there);
  }

  /**
   * Whether a DataNode may cut its replica of a segment for a recovery (paper §4.4, phase 2).
   * Whoever asks for it, what the DataNode's own member has found valid stays. While that is
   * unknown, everything stays.
   *
   * @param found the length up to which the own member has found the replica valid, in bytes;
   *     negative if it has not said
   * @param length the length that the replica has
   * @param to the length that it is to have
   */
  default boolean mayCut(long found, long length, long to) {
    return to >= length || found >= 0 && to >= found;
  }

  /**
   * Whether a DataNode may give its replica of a segment a new generation stamp (paper §4.4, phase
   * 2). HDFS takes a replica of a finished file for corrupt if its stamp is not the file's. So
   * nobody raises a stamp without the word of the member beside the replica.
   *
   * @param recovers whether that member has said in its epoch that the replica takes part in a
   *     recovery, and not yet that it is equal to the others
   */
  default boolean mayRaise(boolean recovers) {
    return recovers;
  }

  /**
   * Whether a DataNode takes appends to its replica of a segment (paper §4.2.2).
   *
   * @param fenced whether an epoch without a holder has begun to read the replica
   */
  default boolean mayAppend(boolean fenced) {
    return !fenced;
  }

  /**
   * Whether a DataNode may take a generation stamp for its replica of a segment (paper §4.4, phase
   * 2). A recovery gets the next stamp of the NameNode. It would come to nothing at a replica that
   * has a newer one.
   *
   * @param newest the newest stamp that the NameNode has given out
   */
  default boolean isGivenOut(long newest, long stamp) {
    return stamp <= newest;
  }

  /**
   * Whether the NameNode may count the named replicas of an open segment alone (paper §4.4, phase
   * 2). HDFS drops all others, and of more than three any one. So just the members' DataNodes must
   * be named.
   *
   * @param members the DataNodes of the region's members
   * @param named the DataNodes whose replicas are to count
   */
  default boolean mayDropOthers(Collection<String> members, Collection<String> named) {
    return Set.copyOf(named).equals(Set.copyOf(members));
  }

  /**
   * Whether the NameNode may give a new file its block on the named DataNodes (paper §4.2.1). A
   * member whose DataNode is not among them could not write its replica.
   *
   * @param members the DataNodes of the region's members
   * @param named the DataNodes that are to have a replica
   */
  default boolean mayPlace(Collection<String> members, Collection<String> named) {
    return named.size() == members.size() && Set.copyOf(named).equals(Set.copyOf(members));
  }

  /**
   * Whether the NameNode may count a replica of an open segment under a new stamp (paper §4.4,
   * phase 2). HDFS drops replicas with an older stamp, so nobody's word counts but the DataNode's
   * own.
   *
   * @param reported the stamp that the replica's DataNode has reported last; negative if it has
   *     reported none
   * @param stamp that the replica is said to have
   */
  default boolean mayCount(long reported, long stamp) {
    return reported == stamp;
  }

  /** Whether a closed segment may be flushed (paper §4.2.3): all in it is decided and durable. */
  default boolean mayFlush(LogState log, SegmentEnd closed) {
    return log.isDecided(closed.segment());
  }

  /**
   * The seq up to which a logged sub-batch certifies that all lanes have committed (paper §4.1).
   */
  default long settles(SubBatch b) {
    return b.acked();
  }

  /**
   * The manifest for the head of the next segment. The NameNode lets the members delete every file
   * that it does not name (paper §4.2.3).
   *
   * @param segments the live closed ones
   */
  default ManifestBody manifest(LogState log, List<String> members, List<SegmentEnd> segments) {
    return log.wholeManifest(members, segments);
  }
}
