package org.salus.core.member;

import org.salus.core.effect.MemberEffect;
import org.salus.core.log.Relied;
import org.salus.core.message.Message.Acknowledged;

/**
 * What a member of an epoch that opens knows of the volume's user, and so whether the epoch may
 * take the place of holders that are away (paper §2.1, §4.4 phase 2).
 */
final class SuccessionProof {
  /** The number of periods after which a member says that something is missing. */
  private static final int PATIENCE = 20;

  private final RegionContext c;

  /** What the session of the newest mount has said in this epoch; null before. */
  private Acknowledged word;

  /** The number of periods for which something was missing. */
  private int missedPeriods;

  SuccessionProof(RegionContext c) {
    this.c = c;
  }

  /** Takes a session's word on what its user relies on. Returns whether it is news. */
  boolean heard(Acknowledged x) {
    Relied said = x.relied();
    boolean isNews =
        x.epoch() == c.epoch
            && !c.opened
            && said.isNewer(word == null ? null : word.relied())
            && x.isSigned(c.region, c.signer);
    if (isNews) {
      word = x;
      if (said.isNewer(c.known.relied())) {
        c.known.keep(said);
      }
      handOn();
    }
    return isNews;
  }

  /** Tells the other members what the session has said, if anything: it may not reach them. */
  void handOn() {
    if (word == null) {
      return;
    }
    for (int i = 0; i < c.members.size(); i++) {
      if (i != c.place) {
        c.out.send(c.member(i), word);
      }
    }
  }

  /**
   * What the user relies on, by the log that is replayed here. What was said in an earlier epoch
   * may be too little by now. So it only shows that something is missing.
   */
  private Reliance reliance() {
    Relied now = c.known.relied(); // no older than the word
    if (now == null || now.mountEpoch() < c.log.mountEpoch()) {
      return Reliance.UNKNOWN;
    }
    if (!now.isIn(c.log)) {
      // A mount is on disk before it is answered, so no power cut takes it.
      return now.since() == now.mountEpoch() || !now.isLogged(c.log)
          ? Reliance.MISSING
          : Reliance.GONE;
    }
    boolean isOfThisEpoch = word != null && word.relied().equals(now);
    return !isOfThisEpoch ? Reliance.UNKNOWN : now.since() == 0 ? Reliance.NONE : Reliance.WHOLE;
  }

  /**
   * Whether the members may become the region's holders, as far as this one knows. If holders are
   * away, and its own replicas lack what was certified, it counts as no holder.
   *
   * @param lacks whether they do
   */
  boolean mayRetire(boolean lacks) {
    return c.rules.mayRetire(
        lacks && !c.succession.isWhole() ? c.succession.withoutOne() : c.succession, reliance());
  }

  /**
   * Ends a period in which the log is replayed and the epoch may not begin. If that lacks what the
   * user relies on, another epoch may have members that have it.
   */
  void onWait() {
    boolean lacks = reliance() == Reliance.MISSING || reliance() == Reliance.GONE;
    if (lacks && ++missedPeriods % PATIENCE == 0) {
      Relied user = c.known.relied();
      c.out.add(
          new MemberEffect.Suspect(
              -1,
              "its log ends with PUT "
                  + c.log.lastSeq()
                  + " of mount "
                  + c.log.mountEpoch()
                  + ", and lacks PUT "
                  + user.seq()
                  + " of mount "
                  + user.since()
                  + (user.logged() == user.since() ? "" : " or mount " + user.logged())
                  + ", which were acknowledged: start a server that has served it before; if none can come"
                  + " back, close the volume, and who opens it again finds what there is"));
    }
  }
}
