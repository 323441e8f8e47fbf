package org.salus.core.member;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.Endpoint;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Stalled;
import org.salus.core.log.LogRecord;
import org.salus.core.log.OpenBody;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Acknowledged;
import org.salus.core.message.Message.Certified;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.LogEnds;
import org.salus.core.message.Message.Opening;
import org.salus.core.message.Message.Wrote;
import org.salus.core.message.OpeningPhase;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.scan.KnownLog;
import org.salus.core.scan.LogScan;
import org.salus.core.wire.MalformedException;

/**
 * Drives the phases of {@link EpochOpening} (paper §4.4, phase 2). It repeats the requests of each
 * phase until the phase is done.
 */
final class OpeningDriver {
  /**
   * The offset that stands for the OPEN record: just before the first byte of the segment that it
   * opens.
   */
  static final long OPEN_OFFSET = -1;

  /**
   * The number of failed attempts to equalize the replicas after which another epoch scans them
   * again. They are then no longer what they were when they were read.
   */
  private static final int MOST_FAILURES = 20;

  /**
   * The number of periods for which DataNodes are asked again before a complaint. M0 asks all
   * members' DataNodes to take part in the recovery; each member then asks its own for its replica.
   */
  private static final int ASKED_AGAIN = 20;

  private final RegionContext c;
  private final RecordRelay relay;
  private final EpochOpening opening;
  private final OpeningBlame blame;
  private final SuccessionProof proof;
  private final OpeningReplay replay;
  private LogRecord open;
  private List<byte[]> openSignatures;
  private List<byte[]> openCertificate;
  private int failures;

  /** Whether the last request to HDFS is still unanswered. */
  private boolean asked;

  private boolean replayStarted;

  /** Whether the host has answered the last request to replay the log, or to look again. */
  private boolean replayDone;

  private boolean takenOver;

  /** This member's own replicas of the agreed segments, as they were found last. */
  private final Map<Long, OwnReplica> own = new TreeMap<>();

  /** The number of periods for which own replicas were not equal. */
  private int behindPeriods;

  /** When members' DataNodes began to hold up the recovery; -1 if they do not. */
  private long behindSince = -1;

  private long lastSent;

  OpeningDriver(RegionContext c, RecordRelay relay) {
    this.c = c;
    this.relay = relay;
    this.opening = new EpochOpening(c.members);
    this.blame = new OpeningBlame(c);
    this.proof = new SuccessionProof(c);
    this.replay = new OpeningReplay(c, opening);
  }

  void start(long now) {
    lastSent = now;
    c.out.add(new MemberEffect.ScanLog(c.known, c.epoch));
  }

  void onScanned(LogScan.Found found) {
    opening.scanned(found);
    if (c.isPrimary()) {
      tellAll(); // the ends that others sent before now were lost
    }
    sendEnds();
  }

  private void sendEnds() {
    LogEnds mine =
        new LogEnds(c.epoch, c.place, opening.found().ends(), opening.found().elsewhere());
    if (c.isPrimary()) {
      tryToPropose(mine);
    } else {
      c.out.send(c.member(0), mine);
    }
  }

  void onMessage(Endpoint from, Message m) {
    if (m instanceof LogEnds x && x.epoch() == c.epoch && c.isPrimary() && c.isAt(from, x.lane())) {
      tryToPropose(x);
    } else if (m instanceof Opening x && x.epoch() == c.epoch && c.isAt(from, x.lane())) {
      blame.onTold(x);
      onPhase(x.lane(), x.phase());
    } else if (m instanceof Wrote x && c.isOthers(x, from)) {
      blame.onWrote(x.lane());
    }
  }

  private void onPhase(int place, OpeningPhase phase) {
    if (place == 0 && phase == OpeningPhase.AGREEING && opening.phase() == phase && open == null) {
      sendEnds();
    }
    if (place == 0 && phase.compareTo(OpeningPhase.REPLAYING) >= 0) {
      replay();
    }
    if (c.isPrimary() && phase == OpeningPhase.REPLAYED) {
      opening.replayed(place);
      proposeManifest();
    }
  }

  private void tryToPropose(LogEnds told) {
    OpenBody body = opening.offer(told);
    if (body != null && !claimsTooMuch() && !losesWhatIsProven(body)) {
      LogRecord r =
          new LogRecord(
              LogRecord.Type.OPEN,
              c.region,
              c.epoch,
              new Position(body.next(), OPEN_OFFSET),
              body.encode());
      sign(r, body, List.of());
    }
  }

  private boolean claimsTooMuch() {
    LogEnds told = opening.tooMuch();
    if (told != null) {
      c.out.add(
          new MemberEffect.Suspect(
              told.lane(),
              "it claims more of the log than the epoch that served last has certified: "
                  + told.ends()
                  + " and elsewhere "
                  + told.elsewhere()));
    }
    return told != null;
  }

  /** Handles the OPEN record as it comes down the chain. */
  void onChain(LogRecord r, List<byte[]> before) throws MalformedException {
    OpenBody body = OpenBody.decode(r.content());
    if (opening.maySign(body) && before.size() == c.place && !losesWhatIsProven(body)) {
      sign(r, body, before);
    }
  }

  private boolean losesWhatIsProven(OpenBody body) {
    SegmentEnd lost = opening.lost(body);
    if (lost != null) {
      c.out.add(
          new MemberEffect.Unable(
              "segment "
                  + lost.segment()
                  + " was certified up to byte "
                  + lost.length()
                  + ", and no member's replica is valid so far;"
                  + " start the servers and DataNodes that have had the region, or bring a whole replica back"));
    }
    return lost != null;
  }

  private void sign(LogRecord r, OpenBody body, List<byte[]> before) {
    open = r;
    opening.agree(body);
    openSignatures = new ArrayList<>(before);
    openSignatures.add(c.signer.sign(c.self(), r.headerBuffer()));
    forwardOpen();
  }

  private void forwardOpen() {
    if (!c.isLast()) {
      c.out.send(c.member(c.place + 1), new Chain(open.header(), openSignatures));
    } else if (c.isPrimary()) {
      onCertified(openSignatures);
    } else {
      c.out.send(
          c.member(0), new Certified(c.epoch, open.at().segment(), OPEN_OFFSET, openSignatures));
    }
  }

  /**
   * At M0: handles the certificate of the OPEN record. All members agree where the old log ends. A
   * wrong member may send it to the others, too.
   */
  void onCertified(List<byte[]> signatures) {
    if (c.isPrimary()
        && opening.phase() == OpeningPhase.AGREEING
        && open != null
        && c.rules.isCertified(open, c.members, signatures, c.signer)) {
      openCertificate = signatures;
      opening.moveTo(OpeningPhase.RECOVERING);
      requestNext();
    }
  }

  /** Asks HDFS for the next step. Only one request is under way at a time. */
  private void requestNext() {
    if (asked) {
      return;
    }
    asked = true;
    byte[] permission = open.permission(openCertificate);
    if (!opening.isRecovered()) {
      c.out.add(
          new MemberEffect.RecoverSegments(
              opening.agreed().recovered().stream().map(opening::toEqualize).toList(),
              c.rules.toEqualize(c.members.size()),
              permission));
    } else {
      c.out.add(new MemberEffect.CreateSegment(opening.agreed().next(), permission));
    }
  }

  void onRecovered(boolean ok) {
    asked = false;
    behindSince = -1;
    failures = ok ? 0 : failures + 1;
    if (failures == MOST_FAILURES) {
      c.out.add(
          new MemberEffect.Suspect(-1, "the replicas of its segments could not be made equal"));
    }
    if (ok && opening.phase() == OpeningPhase.RECOVERING && !opening.isRecovered()) {
      opening.markRecovered();
      replay();
    }
  }

  /**
   * Handles an attempt that failed because of members' DataNodes. They are asked again for a while.
   * Then the region needs other members.
   */
  void onBehind(List<Integer> places, long now) {
    asked = false;
    behindSince = behindSince < 0 ? now : behindSince;
    if (now - behindSince >= ASKED_AGAIN * c.config.resendAfterNanos()) {
      behindSince = now;
      c.complain(places.get(0), "has a DataNode that does not let its replicas be made equal");
    }
  }

  /**
   * Handles a refuted claim about a replica. The next epoch scans the replicas itself, without the
   * wrong member. Nothing certified is lost with the agreement.
   */
  void onRefuted(int place, SegmentEnd said) {
    asked = false;
    String what =
        "no replica of segment "
            + said.segment()
            + " is valid up to byte "
            + said.length()
            + ", as it has said";
    c.out.add(
        place == c.place ? new MemberEffect.Unable(what) : new MemberEffect.Suspect(place, what));
  }

  void onSegmentCreated(boolean ok) {
    asked = false;
    if (ok && opening.phase() == OpeningPhase.REPLAYED) {
      opening.markCreated();
      proposeManifest();
    }
  }

  private void tellAll() {
    for (int i = 0; i < c.members.size(); i++) {
      if (i != c.place) {
        c.out.send(c.member(i), phase());
      }
    }
  }

  private Opening phase() {
    return new Opening(c.epoch, c.place, told(), blame.heard());
  }

  /**
   * A member that waits for the user's word has not replayed for the others: nobody is to blame it.
   * The same goes for M0 while there is no segment for the manifest.
   */
  private OpeningPhase told() {
    boolean waits = !mayRetire() || c.isPrimary() && !opening.isCreated();
    return opening.phase() == OpeningPhase.REPLAYED && waits
        ? OpeningPhase.REPLAYING
        : opening.phase();
  }

  private void replay() {
    if (opening.agreed() != null && !replayStarted) {
      replayStarted = true;
      opening.moveTo(OpeningPhase.REPLAYING);
      if (c.isPrimary()) {
        tellAll();
      }
      KnownLog.Replay unknown = replay.known();
      c.out.add(
          new MemberEffect.ReplayLog(unknown.rest(), unknown.from(), opening.agreed().recovered()));
    }
  }

  void onReplay(LogRecord r) {
    replay.read(r);
  }

  /**
   * Handles this member's own replica as its host found it. If M0 has filled it up with bytes that
   * are no log, valid replicas may be few, and gone once the file is complete.
   */
  void onOwnReplica(OwnReplica found) {
    own.put(found.segment(), found);
    for (SegmentEnd agreed : opening.agreed().recovered()) {
      if (agreed.segment() == found.segment()
          && agreed.length() == found.length()
          && !c.rules.isEqual(agreed, found)) {
        replay.isNoLog(
            agreed,
            "this member's replica of segment "
                + found.segment()
                + " was filled up from byte "
                + found.valid()
                + " on with what was not certified");
      }
    }
  }

  /** The first agreed segment of which this member's own replica is not equal, or null. */
  private SegmentEnd behind() {
    return opening.agreed().recovered().stream()
        .filter(s -> !own.containsKey(s.segment()) || !c.rules.isEqual(s, own.get(s.segment())))
        .findFirst()
        .orElse(null);
  }

  /**
   * Looks again at own replicas that were not equal, for the NameNode or the own DataNode may be
   * late. A member that M0 has left behind does not sign the manifest: it would be no holder.
   */
  private void lookAgain() {
    SegmentEnd behind = replayDone && replay.notALog() == null ? behind() : null;
    if (behind == null) {
      return;
    }
    behindPeriods++;
    if (behindPeriods % ASKED_AGAIN == 0) {
      String what = "the recovery has left behind this member's replica of " + behind;
      c.out.add(
          c.isPrimary()
              ? new MemberEffect.Unable(what)
              : new Stalled(c.region.index(), c.epoch, 0, what));
    }
    replayDone = false; // one look at a time: a NameNode that is slow gets no second one
    c.out.add(new MemberEffect.ReplayLog(List.of(), null, opening.agreed().recovered()));
  }

  /** Handles the end of a replay. The member goes on once its own replicas are equal, too. */
  void onReplayed() {
    replayDone = true;
    if (replay.notALog() != null) {
      onReplayFailed(replay.notALog(), replay.whyNot());
    } else if (!takenOver && behind() == null) {
      takenOver = true;
      takeOver();
    }
  }

  private void takeOver() {
    c.log.beginEpoch();
    c.segments.clear();
    c.segments.addAll(opening.agreed().recovered());
    c.flushed();
    List<Checkpoint> live = c.log.checkpoints().live();
    if (live.isEmpty()
        || c.index.takeOver(c.known.checkpoints(), live.get(live.size() - 1).root())) {
      ready();
    } else {
      c.out.add(new MemberEffect.LoadRoots(live.stream().map(Checkpoint::id).toList()));
    }
  }

  /**
   * Handles an agreed segment that is no log. If it is not this member's own end, M0 has claimed
   * that another member had it.
   */
  void onReplayFailed(SegmentEnd s, String why) {
    boolean mine = c.isPrimary() || opening.found().ends().contains(s);
    c.out.add(
        mine
            ? new MemberEffect.Unable(why)
            : new Stalled(c.region.index(), c.epoch, 0, "has proposed what is no log: " + why));
  }

  void onRoot(long page, byte[] root) {
    c.index.setRoot(page, root);
  }

  void onRootsLoaded() {
    List<Checkpoint> live = c.log.checkpoints().live();
    if (Arrays.equals(c.index.checkpointRoot(), live.get(live.size() - 1).root())) {
      ready();
    } else {
      c.out.add(new MemberEffect.Unable("its checkpoints do not have the root that was certified"));
    }
  }

  private void ready() {
    c.known.keep(c.index.checkpoints());
    c.next = new Position(opening.agreed().next(), 0);
    c.leaders.reset(c.log.mountEpoch());
    opening.moveTo(OpeningPhase.REPLAYED);
    tellReplayed();
    proposeManifest();
  }

  private void tellReplayed() {
    if (opening.phase() == OpeningPhase.REPLAYED && mayRetire()) {
      if (c.isPrimary()) {
        opening.replayed(0);
      } else {
        c.out.send(c.member(0), phase());
      }
    }
  }

  /**
   * At M0: proposes the manifest, once there is a segment for it. The segment is created when
   * nothing else is waited for: whatever epochs wait or fail, they leave no files.
   */
  private void proposeManifest() {
    if (!c.isPrimary()
        || opening.phase() != OpeningPhase.REPLAYED
        || !opening.haveAllReplayed()
        || !mayRetire()) {
      return;
    }
    if (opening.isCreated()) {
      opening.moveTo(OpeningPhase.SERVING);
      relay.proposeManifest();
    } else {
      requestNext();
    }
  }

  /** Takes a session's word on what its user relies on. */
  void onAcknowledged(Acknowledged x) {
    if (proof.heard(x)) {
      tellReplayed();
      proposeManifest();
    }
  }

  /** Whether the members may become the region's holders, as far as this one knows. */
  boolean mayRetire() {
    return proof.mayRetire(opening.found() != null && !opening.found().proven().isEmpty());
  }

  /** Whether the manifest that begins this epoch may be accepted. */
  boolean isReplayed() {
    return opening.phase() == OpeningPhase.REPLAYED || opening.phase() == OpeningPhase.SERVING;
  }

  void onTick(long now) {
    if (opening.agreed() != null && !c.opened) {
      replay.known(); // done while HDFS is busy with the recovery
    }
    if (c.opened || now - lastSent < c.config.resendAfterNanos()) {
      return;
    }
    lastSent = now;
    tellAll();
    proof.handOn();
    blame.onPeriod(told(), open != null);
    switch (opening.phase()) {
      case AGREEING -> {
        if (open == null || !c.isPrimary()) {
          sendEnds();
        }
        if (open != null) {
          forwardOpen();
        }
      }
      case RECOVERING -> requestNext();
      case REPLAYING -> lookAgain();
      case REPLAYED -> {
        if (!mayRetire()) {
          proof.onWait();
        }
        tellReplayed();
        proposeManifest();
      }
      default -> {}
    }
  }
}
