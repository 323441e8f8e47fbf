package org.salus.core.replacement;

import java.util.Map;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogBefore;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Permission;
import org.salus.core.log.SegmentEnd;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * What the NameNode knows of a region's chain of epochs, and keeps with the region's directory
 * (paper §4.2.3, §5). Two words of members change it:
 *
 * <ul>
 *   <li>Each member of a new epoch shows the epoch's link before it reads the log. From then on
 *       every change of a file that an older epoch has certified is refused. So each change that
 *       the NameNode allows to an epoch comes before any member of the next one looks.
 *   <li>Each member shows the first certified manifest of its epoch before it votes for the first
 *       time, with the word of each member that it has it. From then on the epoch is the one that
 *       served last, and later ones must build on it, and on the log before it as the manifest
 *       names it. By then the members' replicas of that log must count, since nobody keeps others.
 * </ul>
 *
 * So whatever stands in ZooKeeper, of all epochs that build on the same one a single one serves.
 * Immutable.
 *
 * @param served the link of the epoch that served last, or null while none has
 * @param newest the link of the newest epoch that a member has shown, or null for none
 * @param before the log before the epoch that served last
 */
public record EpochRegister(EpochLink served, EpochLink newest, LogBefore before) {
  /** Of a region that has had no epoch. */
  public static final EpochRegister NONE = new EpochRegister(null, null, LogBefore.NONE);

  /**
   * The open file of a segment, as the NameNode knows it.
   *
   * @param stamp the generation stamp under which its replicas count
   * @param reported by DataNode, the stamp that it has reported last of its replica
   */
  public record OpenFile(long stamp, Map<String, Long> reported) {}

  private static final int OPENS = 1;
  private static final int SERVES = 2;

  /**
   * The answer to a member's word.
   *
   * @param register what is known from now on
   * @param refusal why the word changes nothing; null if it counts
   * @param isForged whether neither the master nor the members it names have said the word: its
   *     teller has another secret, or is wrong. A word that is refused otherwise was just too early
   *     or too late.
   */
  public record Answer(EpochRegister register, String refusal, boolean isForged) {}

  /**
   * Whether this knows what a word says. A member that has said it must see this: a NameNode
   * without a guard stores any word and takes none.
   *
   * @param word of {@link #opens(EpochLink)} or {@link #serves(WrittenManifest)}
   */
  public boolean knows(byte[] word) throws MalformedException {
    Decoder d = new Decoder(word);
    return switch (d.u8()) {
      case OPENS -> EpochLink.read(d).equals(newest);
      case SERVES ->
          served != null && served.epoch() == WrittenManifest.read(d).permission().record().epoch();
      default -> false;
    };
  }

  /** Whether the newest epoch serves. */
  public boolean isServing() {
    return newest != null && newest.equals(served);
  }

  /** A member's word that its epoch opens. */
  public static byte[] opens(EpochLink link) {
    Encoder e = new Encoder(512).u8(OPENS);
    link.write(e);
    return e.toBytes();
  }

  /** A member's word that its epoch serves. */
  public static byte[] serves(WrittenManifest proof) {
    Encoder e = new Encoder(512).u8(SERVES);
    proof.write(e);
    return e.toBytes();
  }

  /**
   * Takes a member's word about a region.
   *
   * @param open the region's segments whose files are open
   */
  public Answer take(
      byte[] word, RegionId region, Map<Long, OpenFile> open, EpochRules rules, Signer signer) {
    try {
      Decoder d = new Decoder(word);
      int kind = d.u8();
      if (kind == OPENS) {
        EpochLink link = EpochLink.read(d);
        d.end();
        return link.region().equals(region)
            ? opens(link, rules, signer)
            : forged("it is of another region");
      }
      if (kind == SERVES) {
        WrittenManifest proof = WrittenManifest.read(d);
        d.end();
        return serves(proof, region, open, rules, signer);
      }
      return forged("it is no word about an epoch");
    } catch (MalformedException e) {
      return forged("it cannot be read: " + e.getMessage());
    }
  }

  private Answer opens(EpochLink link, EpochRules rules, Signer signer) {
    if (!rules.isGenuine(link, signer)) {
      return forged("no master has signed " + link + "; salus.secret must be the same everywhere");
    }
    if (link.equals(served)) {
      return refused(link + " has served: it does not open again");
    }
    if (link.equals(newest)) {
      return new Answer(this, null, false);
    }
    if (!rules.isNewer(newest, link.epoch())) {
      return refused(link + " is over: the NameNode knows " + newest);
    }
    return rules.mayFollow(served, link)
        ? new Answer(new EpochRegister(served, link, before), null, false)
        : refused(
            link
                + " does not build on "
                + (served == null ? "no epoch" : served)
                + ", which served");
  }

  private Answer serves(
      WrittenManifest proof,
      RegionId region,
      Map<Long, OpenFile> open,
      EpochRules rules,
      Signer signer)
      throws MalformedException {
    Permission manifest = proof.permission();
    if (newest == null
        || !newest.region().equals(region)
        || !rules.hasServed(newest, manifest, signer)) {
      String why = manifest.record() + " does not prove that " + newest + " serves";
      boolean isOver = newest != null && manifest.record().epoch() < newest.epoch();
      return isOver ? refused(why) : forged(why);
    }
    if (!rules.haveAllWritten(newest, proof, signer)) {
      return forged("not every member of " + newest + " has said that it has the manifest");
    }
    if (isServing()) {
      return new Answer(this, null, false);
    }
    for (SegmentEnd s : ManifestBody.decode(manifest.record().content()).segments()) {
      OpenFile file = open.get(s.segment());
      if (file != null && !rules.isCounted(file, newest.dataNodes())) {
        return refused(
            newest
                + " does not serve: segment "
                + s.segment()
                + " counts under stamp "
                + file.stamp()
                + ", and its members' DataNodes have reported "
                + file.reported());
      }
    }
    LogBefore log = rules.logBefore(manifest.record());
    return new Answer(new EpochRegister(newest, newest, log), null, false);
  }

  private Answer refused(String why) {
    return new Answer(this, why, false);
  }

  private Answer forged(String why) {
    return new Answer(this, why, true);
  }

  /** The bytes that the NameNode keeps. */
  public byte[] encode() {
    Encoder e = new Encoder(512);
    write(e, served);
    write(e, newest);
    before.write(e);
    return e.toBytes();
  }

  private static void write(Encoder e, EpochLink link) {
    e.bool(link != null);
    if (link != null) {
      link.write(e);
    }
  }

  public static EpochRegister decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    EpochLink served = read(d);
    EpochLink newest = read(d);
    boolean isOld = d.isAtEnd(); // older versions keep no more
    EpochRegister r = new EpochRegister(served, newest, isOld ? LogBefore.NONE : LogBefore.read(d));
    d.end();
    return r;
  }

  private static EpochLink read(Decoder d) throws MalformedException {
    return d.bool() ? EpochLink.read(d) : null;
  }
}
