package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.effect.Stalled;
import org.salus.core.log.Durable;
import org.salus.core.log.LogRequest;
import org.salus.core.message.Message;
import org.salus.core.session.block.BlockBytes;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.SessionTree;

/** The state that the parts of a session share. */
final class SessionContext {
  /** Advice to operators if a log lacks its end. */
  static final String BRING_BACK =
      "; start the DataNodes that are down, or bring the replicas of the log back, before the volume is mounted again";

  final VolumeSpec spec;
  final long mountEpoch;
  final Signer signer;
  final SessionConfig config;
  final BlockBytes bytes;
  final SessionRules rules;
  final Hashes hashes = new Hashes();

  /** The epoch of the RRS, by region; 0 while none is known. */
  final int[] epochs;

  /** The number of members of that epoch, by region. */
  final int[] members;

  /** Whether that epoch opens, and does not serve yet, by region. */
  final boolean[] opening;

  /** The trees, by region; set once the volume is mounted. */
  final SessionTree[] trees;

  /** The last seq sent, by region. */
  final long[] sent;

  /** The seq up to which all lanes have committed. */
  long acked;

  /** The seq up to which the volume must be there for a user who goes on; 0 for a new one. */
  long needed;

  /** The seq up to which changes were acknowledged to this user by earlier sessions. */
  long told;

  /** The prefix that is durable. */
  Durable durable = Durable.NOTHING;

  final Answers answers = new Answers(this);
  private List<SessionEffect> effects = new ArrayList<>();
  SessionError ended;

  /** What the user's sessions have found out about room. */
  Room room;

  private long lastId;

  SessionContext(
      VolumeSpec spec,
      long mountEpoch,
      Signer signer,
      SessionConfig config,
      BlockBytes bytes,
      SessionRules rules) {
    this.spec = spec;
    this.mountEpoch = mountEpoch;
    this.signer = signer;
    this.config = config;
    this.bytes = bytes;
    this.rules = rules;
    this.epochs = new int[spec.regionCount()];
    this.members = new int[spec.regionCount()];
    this.opening = new boolean[spec.regionCount()];
    this.trees = new SessionTree[spec.regionCount()];
    this.sent = new long[spec.regionCount()];
    this.room = new Room(spec.regionCount(), Room.FIRST_PAUSE_NANOS);
  }

  void out(SessionEffect e) {
    effects.add(e);
  }

  /** Complains of a member. Those of an epoch that opens have their own time. */
  void complain(int region, int lane, String what) {
    if (!opening[region]) {
      out(new Stalled(region, epochs[region], lane, what));
    }
  }

  /**
   * Reports a member's wrong answer. While an epoch opens, answers are of the members before it:
   * the same lane has another member now, which must not be blamed for them.
   *
   * @param proven whether another member has answered the same question rightly
   */
  void report(int region, int lane, boolean proven, String what) {
    if (!opening[region]) {
      out(new SessionEffect.Report(region, epochs[region], lane, proven, what));
    }
  }

  /** Whether a region has an epoch that serves, as far as the session knows. */
  boolean serves(int region) {
    return epochs[region] != 0 && !opening[region];
  }

  /** Sends a message to a region that serves. Otherwise it is lost. */
  void send(int region, int lane, Message m, ByteBuffer payload) {
    if (serves(region)) {
      effects.add(new Send(new Endpoint.Member(spec.regionId(region), lane), m, payload));
    }
  }

  /**
   * Whether the sender, which the host knows for certain, acts in a lane of a region. No member
   * speaks for another.
   */
  boolean speaksFor(Endpoint.Member from, int region, int lane) {
    int here = members[from.region().index()];
    return from.region().index() == region
        && lane >= 0
        && lane < Lanes.COUNT
        && here > 0
        && Lanes.member(lane, here) == Lanes.member(from.lane(), here);
  }

  byte[] sign(LogRequest request) {
    return request.sign(mountEpoch, signer);
  }

  /** A sign of room has come from a region. */
  void noteRoom(int region, Room.Sign sign) {
    if (rules.provesRoom(sign)) {
      room.proven(region);
    }
  }

  /** A new id for a message that wants an answer. */
  long nextId() {
    return ++lastId;
  }

  List<SessionEffect> take() {
    List<SessionEffect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }
}
