package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Put;
import org.salus.core.log.ResolveBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.MountRequest;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.ResolveRequest;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.tree.Hashes;
import org.salus.core.wire.MalformedException;
import org.salus.sim.check.Apart;
import org.salus.sim.check.Checker;
import org.salus.sim.check.Checker.Content;
import org.salus.sim.check.FreshAcrossMounts;
import org.salus.sim.check.Freshness;
import org.salus.sim.check.Liveness;
import org.salus.sim.check.LossesAreNoted;
import org.salus.sim.check.LossesAreTold;
import org.salus.sim.check.NoSpuriousChange;
import org.salus.sim.check.NoWrongData;
import org.salus.sim.check.NothingLeft;
import org.salus.sim.check.OneChain;
import org.salus.sim.check.OnlyDoubtTakesEffect;
import org.salus.sim.check.OrderedCommit;
import org.salus.sim.check.OvertakenByUsers;
import org.salus.sim.check.Prefix;
import org.salus.sim.check.QuietWhenFull;
import org.salus.sim.check.ReserveLasts;
import org.salus.sim.check.SingleWriter;
import org.salus.sim.check.Unanimity;
import org.salus.sim.check.Violation;
import org.salus.sim.store.SimDisk;

/** Watches a run and reports its events to the checkers. */
final class Checks {
  private final Simulation sim;
  private final VolumeSpec spec;
  private final Hashes hashes = new Hashes();
  private final ByteBuffer zeros;
  private final byte[] zeroBlock;
  private final List<Checker> checkers;
  private final Prefix prefix;
  private int powerCuts;
  private final Set<String> wrong = new TreeSet<>();
  private final Map<String, LogReader> audits = new TreeMap<>();

  Checks(Simulation sim, VolumeSpec spec) {
    this.sim = sim;
    this.spec = spec;
    this.zeros = ByteBuffer.allocate(spec.blockSize());
    this.zeroBlock = hashes.leaf(zeros.duplicate());
    this.prefix = new Prefix(spec.synced());
    this.checkers =
        List.of(
            new NoWrongData(),
            prefix,
            new Freshness(prefix),
            new FreshAcrossMounts(),
            new OrderedCommit(this::copies),
            new Unanimity(),
            new NoSpuriousChange(sim.signer()),
            new OneChain(sim.signer()),
            new Apart(),
            new SingleWriter(),
            new QuietWhenFull(),
            new ReserveLasts(spec::region),
            new NothingLeft(),
            new OvertakenByUsers(),
            new OnlyDoubtTakesEffect(),
            new LossesAreNoted(prefix),
            new LossesAreTold(),
            new Liveness());
  }

  private List<Content> contents(SimSession.Request r) {
    List<Content> all = new ArrayList<>();
    int size = spec.blockSize();
    for (int i = 0; i < r.count(); i++) {
      ByteBuffer block = r.buffer() == null ? null : r.buffer().slice(i * size, size);
      all.add(
          new Content(r.block() + i, block == null || isZero(block) ? null : hashes.leaf(block)));
    }
    return all;
  }

  private boolean isZero(ByteBuffer b) {
    return b.mismatch(zeros) < 0;
  }

  void issued(SimSession s, SimSession.Request r) {
    switch (r.kind()) {
      case 'f' -> checkers.forEach(c -> c.flushIssued(s.mountEpoch, r.id()));
      case 'r' ->
          checkers.forEach(
              c ->
                  c.readIssued(
                      s.mountEpoch, r.id(), contents(r).stream().map(Content::block).toList()));
      default -> {
        List<Content> is = contents(r);
        checkers.forEach(c -> c.writeIssued(s.mountEpoch, r.id(), is));
      }
    }
  }

  /** A write to part of a block was given the block. */
  void readToChange(SimSession s, SimSession.Request r) {
    List<Content> is = contents(r);
    checkers.forEach(c -> c.readToChange(s.mountEpoch, r.id(), is));
  }

  void done(SimSession s, SimSession.Request r) {
    switch (r.kind()) {
      case 'f' -> checkers.forEach(c -> c.flushDone(s.mountEpoch, r.id()));
      case 'r' -> {
        List<Content> is = contents(r);
        checkers.forEach(c -> c.readDone(s.mountEpoch, r.id(), is));
      }
      default -> {
        List<Content> is = contents(r);
        checkers.forEach(
            c -> c.writeDone(s.mountEpoch, r.id(), is, r.kind() == 's' || r.kind() == 'Z'));
      }
    }
  }

  void epochKnown(int region, EpochRegister before, EpochRegister after, byte[] word) {
    checkers.forEach(c -> c.epochKnown(region, before, after, word));
  }

  /**
   * The number of members that were never wrong and must have a region's part of what is
   * acknowledged: all of them.
   */
  private int copies(int region) {
    List<Member> members = sim.master().servedBy(region);
    int right = 0;
    for (Member m : members) {
      right += wrong.contains(m.node()) ? 0 : 1;
    }
    return members.isEmpty() ? 1 : right;
  }

  void failed(SimSession s, SimSession.Request r, SessionEffect.Failed x) {
    if (mayLose(s) && x.why() == SessionError.INTEGRITY) {
      return;
    }
    checkers.forEach(c -> c.requestFailed(s.mountEpoch, r.id(), x.why(), x.inDoubt()));
  }

  /**
   * Whether a session may find that writes are lost which its user relies on. The power has failed
   * since it was mounted, or in the time of that user if it mounts again.
   */
  boolean mayLose(SimSession s) {
    return !spec.synced() && powerCuts > s.powerCutsBefore();
  }

  /** The number of power cuts so far. */
  int powerCuts() {
    return powerCuts;
  }

  void ended(SimSession s, SessionError why) {
    if (mayLose(s) && why == SessionError.INTEGRITY) {
      checkers.forEach(c -> c.endedForLoss(s.mountEpoch));
      return;
    }
    checkers.forEach(c -> c.sessionEnded(s.client.id(), s.mountEpoch, why));
  }

  /** A session has ended because a region's M0 has refused a change for want of room. */
  void ranOut(SimSession s, int region) {
    checkers.forEach(c -> c.ranOut(s.client.id(), region));
  }

  /** An epoch of a region serves. */
  void serves(int region, int epoch) {
    checkers.forEach(c -> c.serves(region, epoch));
  }

  /** A handle has ended and says that it leaves nothing behind. */
  void handleDone(String user, boolean known) {
    checkers.forEach(c -> c.handleDone(user, known));
  }

  /** A handle has ended because another writer has had the volume since its last mount. */
  void overtaken(String user, boolean byUser) {
    checkers.forEach(c -> c.overtaken(user, byUser));
  }

  /** A handle mounts the volume again. */
  void goesOn(String user, boolean afterAnother) {
    checkers.forEach(c -> c.goesOn(user, afterAnother));
  }

  void roomChanged() {
    checkers.forEach(Checker::roomChanged);
  }

  /**
   * Whether a report is of a member that was replaced while the client was cut off. Its last
   * answers may arrive just after the client has joined again.
   */
  private boolean isDeposed(SimSession s, SessionEffect.Report r) {
    return s.client.isCutOff()
        || r.lane() >= 0 && s.client.missed(spec.regionId(r.region()), r.epoch());
  }

  /** A session accuses a member, which must never be a right one. */
  void reported(SimSession s, SessionEffect.Report r) {
    boolean deposed = !r.wrong() && isDeposed(s, r); // HDFS may have taken its files
    if (deposed || mayLose(s) && (r.lane() < 0 || r.what().contains("its log ends at seq"))) {
      return; // it may be true, and the words of the other members late
    }
    if (!r.wrong()
        && SimDataNodes.isAway(sim.master().records.written(r.region()), r.epoch(), r.lane())) {
      return; // the network did not let it read
    }
    if (!sim.mayBeWrong()) {
      throw new Violation(
          "P1 freshness",
          "with no faulty member, region " + r.region() + " lane " + r.lane() + ": " + r.what());
    }
    Integer serving = sim.master().servingEpochs().get(r.region());
    if (r.wrong() && serving != null && serving == r.epoch() && !sim.budget().isUnlimited()) {
      List<Member> members = sim.master().servedBy(r.region());
      Member accused = members.get(Lanes.member(r.lane(), members.size()));
      if (isSound(accused.node()) && isSound(accused.dataNode())) {
        throw new Violation(
            "P7 liveness", accused.node() + " is accused with no fault of its own: " + r.what());
      }
    }
  }

  /** Members answer a mount differently, which right ones never do. */
  void disagree(SessionEffect.Disagree d) {
    if (!sim.mayBeWrong()) {
      throw new Violation(
          "P4 unanimity",
          "with no faulty member, region " + d.region() + " lane " + d.lane() + ": " + d.what());
    }
  }

  /** No member had what a session read. That must not happen while whole replicas are left. */
  void unreadable(SessionEffect.Unreadable u) {
    if (!sim.budget().isUnlimited()) {
      throw new Violation(
          "P3 prefix",
          "no member of region " + u.region() + " has blocks " + u.blocks() + ": " + u.what());
    }
  }

  /**
   * A segment is finished, so HDFS drops replicas that are not equal, and no shorter one counts as
   * whole any more. The members are the region's holders now.
   */
  void holders(SimMember by, SegmentEnd s) {
    for (SimNode n : by.stores) {
      if (isSound(n.name)) {
        long valid = valid(sim.nameNode().replica(n, by.region, s.segment()), by.region, s);
        checkers.forEach(c -> c.holds(n.name, by.region.index(), s, valid));
      }
    }
  }

  private boolean isSound(String node) {
    return !wrong.contains(node) && !sim.budget().damaged().contains(node);
  }

  private long valid(SimDisk.Replica r, RegionId region, SegmentEnd s) {
    return r == null
        ? -1
        : r.length() != s.length()
            ? r.length()
            : SimReplicas.validLength(sim, r, region, s.segment());
  }

  /** The other members find a member wrong. */
  void suspected(SimNode node, String why) {
    if (!node.isWrong() && !sim.mayBeWrong()) {
      throw new Violation(
          "P4 unanimity", "with no fault of its own " + node.name + " is suspected: " + why);
    }
  }

  /**
   * A node's members turn wrong, or right again. The lanes in which they act stay spoiled for good.
   */
  void wrong(SimNode node, boolean on) {
    if (on) {
      wrong.add(node.name);
    }
  }

  /** A member sends a message. A wrong member's message proves nothing. */
  void memberSends(SimMember by, Message m) {
    if (wrong.contains(by.node.name)) {
      if (m instanceof Refused r && r.why() == org.salus.core.Refusal.NO_SPACE) {
        excused(SessionError.NO_SPACE); // nobody else knows
      }
      by.lanes.forEach(lane -> checkers.forEach(c -> c.spoiled(lane)));
    }
  }

  void excused(SessionError why) {
    checkers.forEach(c -> c.excused(why));
  }

  void faultsStopped() {
    checkers.forEach(Checker::faultsStopped);
  }

  void beyondPromise() {
    checkers.forEach(Checker::beyondPromise);
  }

  void stuck(String what) {
    checkers.forEach(c -> c.stuck(what));
  }

  void changed(Checker.FileChange c) {
    checkers.forEach(x -> x.fileChanged(c));
  }

  /** What a mount has acknowledged so far. */
  long told(long mount) {
    return prefix.told(mount);
  }

  void mounted(SimSession s, long mountedAt) {
    for (SimSession x = s.before(); x != null && !sim.budget().isUnlimited(); x = x.before()) {
      long told = s.client.told(x.mountEpoch);
      if (mountedAt < told) {
        throw new Violation(
            "P3 prefix",
            "mount "
                + s.mountEpoch
                + " goes on at "
                + mountedAt
                + " for a user to whom mount "
                + x.mountEpoch
                + " acknowledged "
                + told);
      }
    }
    checkers.forEach(c -> c.mounted(s.mountEpoch, mountedAt));
  }

  /** Sessions of mounts before this one are fenced. */
  void fenced(long mount) {
    checkers.forEach(c -> c.fenced(mount));
  }

  /** A session sends a message. The checkers learn what is new in it. */
  void sessionSends(SimSession s, Send x) {
    if (x.message() instanceof MountRequest) {
      fenced(s.mountEpoch);
    } else if (x.message() instanceof ResolveRequest r) {
      long prefix = prefix(r);
      checkers.forEach(c -> c.resolving(s.mountEpoch, prefix));
    }
    if (x.message() instanceof PutRequest p && x.to() instanceof Endpoint.Member m) {
      try {
        SubBatch b = SubBatch.decode(p.content());
        List<Content> all = new ArrayList<>();
        for (Put put : b.puts()) {
          for (int i = 0; i < put.count(); i++) {
            all.add(new Content(spec.block(m.region().index(), put.local() + i), put.leafHash()));
          }
        }
        checkers.forEach(c -> c.sent(m.region().index(), b, normal(all)));
      } catch (MalformedException e) {
        throw new IllegalStateException("the session's sub-batch cannot be read", e);
      }
    }
  }

  private static long prefix(ResolveRequest r) {
    try {
      return ResolveBody.decode(r.content()).prefix();
    } catch (MalformedException e) {
      throw new IllegalStateException("the session's resolution cannot be read", e);
    }
  }

  private List<Content> normal(List<Content> all) {
    return all.stream()
        .map(c -> Arrays.equals(c.hash(), zeroBlock) ? new Content(c.block(), null) : c)
        .toList();
  }

  void commit(Commit x) {
    checkers.forEach(c -> c.committed(x.lane(), x.mountEpoch(), x.seq()));
  }

  /** A member answers what its tree is, if it knows. */
  void status(SimMember by, StatusReply r) {
    if (r.root().length > 0 && !wrong.contains(by.node.name)) {
      checkers.forEach(c -> c.rootTold(by.node.name, by.region.index(), r.settled(), r.root()));
    }
  }

  /** A member's replica has grown, so the new records are read. */
  void appended(SimMember h, long segment) {
    if (wrong.contains(h.node.name)) {
      return;
    }
    String key = h.node.name + "/" + h.store.name + "/" + h.region + "/" + segment;
    LogReader.Source written =
        (at, into) -> h.store.disk(h.region).segment(segment).written().read(at, into);
    LogReader reader =
        audits.computeIfAbsent(key, k -> new LogReader(written, h.region, segment, sim.signer()));
    for (LogRecord r = reader.next(); r != null; r = reader.next()) {
      LogRecord found = r;
      checkers.forEach(c -> c.onDisk(h.node.name, h.lanes, found));
    }
  }

  /** Replicas were changed behind the members' backs, so all of them are read again. */
  void disksChanged(Iterable<SimMember> members) {
    audits.clear();
    checkers.forEach(Checker::disksReset);
    members.forEach(
        h ->
            List.copyOf(h.store.disk(h.region).segments.keySet())
                .forEach(segment -> appended(h, segment)));
  }

  /** ZooKeeper has changed its notes of losses and of mounts. */
  void tell(Consumer<Checker> event) {
    checkers.forEach(event);
  }

  /** A client's process has ended. */
  void gone(SimSession last) {
    for (SimSession s = last; s != null && s.client == last.client; s = s.before()) {
      long mount = s.mountEpoch;
      checkers.forEach(c -> c.gone(mount));
    }
  }

  /** The run has ended. */
  void over() {
    checkers.forEach(Checker::over);
  }

  void wentBack(SimSession s, SessionEffect.WentBack x) {
    checkers.forEach(c -> c.wentBack(s.mountEpoch, x.prefix(), x.acked()));
    for (SimSession b = s.before(); b != null; b = b.before()) {
      long told = s.client.told(b.mountEpoch);
      checkers.forEach(c -> c.wentBackForUser(s.mountEpoch, x.acked(), told));
      if (s.client.acceptsLoss() && b.session.mounted()) {
        break; // what was lost before it is noted
      }
    }
    if ((powerCuts == 0 || spec.synced()) && !sim.budget().isUnlimited()) {
      throw new Violation(
          "P3 prefix",
          "without a power cut a mount goes back from " + x.acked() + " to " + x.prefix());
    }
  }

  void powerCut() {
    powerCuts++;
    checkers.forEach(Checker::powerCut);
  }
}
