package org.salus.core.replacement;

import java.util.List;
import org.salus.core.Signer;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Permission;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.wire.MalformedException;

/**
 * The rules of a region's chain of epochs. The NameNode keeps the chain ({@link EpochRegister}),
 * and the master reads it there ({@link RegionKeeper}). The default of each rule is the product's.
 * Tests inject others to prove that a checker notices. An implementation holds no state.
 */
public interface EpochRules {
  /** The rules that the promises need. */
  EpochRules PAPER = new EpochRules() {};

  /** Whether the master has signed the link. Nobody else says who the members are. */
  default boolean isGenuine(EpochLink link, Signer signer) {
    return link.isGenuine(signer);
  }

  /**
   * Whether an epoch may follow the one that served last. It must name that one, so that of two
   * epochs that build on it only one can serve.
   *
   * @param last the link of the epoch that served last, or null while none has
   */
  default boolean mayFollow(EpochLink last, EpochLink next) {
    return last == null
        ? next.before().isEmpty()
        : next.before().equals(last.signature())
            && next.epoch() > last.epoch()
            && next.holders().equals(last.members());
  }

  /** Whether an epoch with this number is newer than the newest that is known. */
  default boolean isNewer(EpochLink newest, int epoch) {
    return newest == null || epoch > newest.epoch();
  }

  /** Whether all members of an epoch have certified that it serves, by a manifest of theirs. */
  default boolean hasServed(EpochLink link, Permission manifest, Signer signer) {
    LogRecord r = manifest.record();
    return r.type() == LogRecord.Type.MANIFEST
        && r.region().equals(link.region())
        && r.epoch() == link.epoch()
        && r.certifiedBy(link.nodes(), manifest.signatures(), signer);
  }

  /**
   * Whether every member of an epoch has said that it has that manifest on its disk (paper §4.4,
   * phase 2). Whoever is to follow must have reached the epoch that served last, and HDFS drops the
   * replicas of whoever was left out. So no member alone may have the epoch serve.
   */
  default boolean haveAllWritten(EpochLink link, WrittenManifest proof, Signer signer)
      throws MalformedException {
    return proof.haveAllWritten(link, signer);
  }

  /**
   * Whether a manifest is shown with every word that a deed {@linkplain Permission.Deed#needsWords
   * needs} (paper §4.2.3): that of each member of the newest epoch.
   *
   * @param newest the link of the newest epoch that the NameNode knows, or null for none
   */
  default boolean haveWords(
      Permission.Deed deed, EpochLink newest, WrittenManifest shown, Signer signer)
      throws MalformedException {
    return newest != null && haveAllWritten(newest, shown, signer);
  }

  /**
   * What later epochs take for the log before an epoch that serves (paper §4.4, phase 2).
   *
   * @param manifest the epoch's first manifest
   */
  default LogBefore logBefore(LogRecord manifest) throws MalformedException {
    return LogBefore.of(manifest);
  }

  /**
   * Whether an epoch may serve with this segment of the log before it (paper §4.4, phase 2): the
   * NameNode counts the replica of each member, as the member's DataNode has reported it. When the
   * epoch serves, its members are the holders, and HDFS drops what does not count.
   *
   * @param file the segment's file, which is open
   * @param members the DataNodes of the epoch's members
   */
  default boolean isCounted(EpochRegister.OpenFile file, List<String> members) {
    return members.stream()
        .allMatch(d -> file.reported().getOrDefault(d, OwnReplica.ABSENT) == file.stamp());
  }

  /**
   * Whether an epoch that the master has signed, as a record in ZooKeeper says, is of the chain
   * that the NameNode knows. An old record can come back.
   */
  default boolean isOfChain(EpochLink record, EpochRegister known) {
    return record.equals(known.newest())
        || isNewer(known.newest(), record.epoch()) && mayFollow(known.served(), record);
  }
}
