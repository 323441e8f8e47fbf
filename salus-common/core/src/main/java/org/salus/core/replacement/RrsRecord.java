package org.salus.core.replacement;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.salus.core.Lanes;

/**
 * The record of a region's RRS in one epoch (paper §4.2.2). The master alone can say who the
 * members are: it signs the link. Everything else is said by whoever knows it, and is a hint: a
 * wrong word costs time, but loses nothing. Immutable.
 *
 * @param link the epoch and its members
 * @param state the region's state
 * @param hasServed whether a member has said that the epoch serves
 * @param suspect the node that the next epoch should be without, or empty
 * @param note why the epoch is in its state, in words
 * @param cause the reason why a BROKEN epoch cannot go on; else null
 * @param history the replacements up to this epoch
 * @param joining the server that gets ready to be a member of the next epoch, or null
 * @param suspicions what the master knows against members since the region last served, as far as
 *     it has acted on it
 * @param doubted the nodes that answered wrongly and have not checked their replicas since, each
 *     with the last epoch that ended for it
 */
public record RrsRecord(
    EpochLink link,
    State state,
    boolean hasServed,
    String suspect,
    String note,
    Cause cause,
    History history,
    Joining joining,
    Suspicions suspicions,
    Map<String, Integer> doubted) {

  /** The most characters of a note: ZooKeeper takes 1 MiB for the records of many regions. */
  private static final int MOST_WORDS = 2000;

  /**
   * The replacements of a region so far.
   *
   * @param since the time at which this epoch was opened, in ms since 1970; 0 for the first
   * @param replacements the number of replacements by cause
   */
  public record History(long since, Map<Cause, Integer> replacements) {
    static final History NONE = new History(0, Map.of());

    /** Copies the map. */
    public History {
      replacements = Map.copyOf(replacements);
    }
  }

  /**
   * A server that gets ready to join while the region serves.
   *
   * @param ready whether it has read all that it can
   */
  public record Joining(Member member, boolean ready) {
    /** Checks what anybody may have written into ZooKeeper. */
    public Joining {
      Objects.requireNonNull(member);
    }
  }

  /** An epoch without known history. */
  public RrsRecord(EpochLink link, State state, String note) {
    this(link, state, false, "", note, null, History.NONE, null, Suspicions.NONE, Map.of());
  }

  /** The newest epoch that the NameNode knows, in place of a record that is lost or wrong. */
  static RrsRecord restored(EpochRegister known, String why) {
    return new RrsRecord(
        known.newest(),
        State.BROKEN,
        known.isServing(),
        "",
        why,
        Cause.RECORD,
        History.NONE,
        null,
        Suspicions.NONE,
        Map.of());
  }

  /**
   *
   *
   * <pre>
   * OPENING --M0: the log is agreed on and replayed--> SERVING
   * OPENING --M0: no room for its first segment------> FULL ----there is room----> SERVING
   * any     --a member can go on no more-------------> BROKEN --master: next epoch--> OPENING
   * </pre>
   */
  public enum State {
    OPENING,
    SERVING,
    FULL,
    BROKEN
  }

  /**
   * One member of the RRS.
   *
   * @param node the server's name
   * @param startCode the start code of the process that is the member; a process that started later
   *     knows nothing of this epoch
   * @param dataNode {@code ip:port} of its DataNode
   */
  public record Member(String node, long startCode, String dataNode) {
    /** Checks what anybody may have written into ZooKeeper. */
    public Member {
      Objects.requireNonNull(node);
      Objects.requireNonNull(dataNode);
    }
  }

  /** Copies the map. A record that another version wrote may lack the later fields. */
  public RrsRecord {
    Objects.requireNonNull(link);
    Objects.requireNonNull(state);
    suspect = suspect == null ? "" : suspect;
    note = note == null ? "" : note.substring(0, Math.min(note.length(), MOST_WORDS));
    history = history == null ? History.NONE : history;
    // Later epochs take the suspicions on, so those that cannot be true must not count.
    suspicions =
        suspicions == null || suspicions.epoch() > link.epoch() ? Suspicions.NONE : suspicions;
    doubted = doubted == null ? Map.of() : Map.copyOf(doubted);
  }

  /** The epoch's number. */
  public int epoch() {
    return link.epoch();
  }

  /** The members in chain order, one to three. */
  public List<Member> members() {
    return link.members();
  }

  /** The members' names in chain order. */
  public List<String> nodes() {
    return link.nodes();
  }

  /**
   * The nodes that have everything that was acknowledged: the members of the last epoch that
   * served.
   */
  public List<String> holders() {
    return holding().stream().map(Member::node).toList();
  }

  /** The holders, as the members that they were. */
  public List<Member> holding() {
    return hasServed ? members() : link.holders();
  }

  /** The newest epoch that has served, which every holder's log must reach; 0 for none. */
  public int served() {
    return hasServed ? epoch() : link.served();
  }

  /** The same epoch, serving. Its members become the holders; the note stays. */
  public RrsRecord serving() {
    return new RrsRecord(
        link, State.SERVING, true, "", note, null, history, null, suspicions, doubted);
  }

  /** The same epoch in the same state, of which there is something else to say. Nobody joins. */
  RrsRecord noting(String why) {
    return new RrsRecord(
        link, state, hasServed, suspect, why, cause, history, null, suspicions, doubted);
  }

  /** The same epoch, which has served or not whatever somebody has said. */
  RrsRecord corrected(boolean served) {
    return new RrsRecord(
        link,
        state == State.SERVING ? State.OPENING : state,
        served,
        suspect,
        note,
        cause,
        history,
        null,
        suspicions,
        doubted);
  }

  /** The same epoch, for whose first segment there is no room. */
  public RrsRecord full(String why) {
    return new RrsRecord(
        link, State.FULL, hasServed, "", why, null, history, null, suspicions, doubted);
  }

  /** The same epoch, BROKEN: it cannot go on. */
  public RrsRecord broken(Cause newCause, String newSuspect, String why) {
    return new RrsRecord(
        link,
        State.BROKEN,
        hasServed,
        newSuspect,
        why,
        newCause,
        history,
        null,
        suspicions,
        doubting(newCause, List.of(newSuspect)));
  }

  /**
   * The same epoch, BROKEN for what a session said of a member. If two members answered a mount
   * differently, nobody knows which is right.
   */
  public RrsRecord accused(Cause newCause, String node, String why) {
    boolean anyOf = newCause == Cause.DISAGREED && members().size() < Lanes.COUNT;
    return broken(newCause, anyOf ? "" : node, why);
  }

  /** Whether a member's word that epoch {@code ofEpoch} is in a state counts. */
  public boolean isFollowedBy(int ofEpoch, State next) {
    return epoch() == ofEpoch
        && state != next
        && state != State.BROKEN
        && !(next == State.FULL && state == State.SERVING);
  }

  /**
   * The next epoch, OPENING.
   *
   * @param now the time, in ms since 1970
   */
  RrsRecord next(EpochLink next, Cause newCause, String why, long now) {
    Map<Cause, Integer> replacements = new EnumMap<>(Cause.class);
    replacements.putAll(history.replacements());
    replacements.merge(newCause, 1, Integer::sum);
    List<String> leave = nodes().stream().filter(n -> !next.nodes().contains(n)).toList();
    return new RrsRecord(
        next,
        State.OPENING,
        false,
        "",
        why,
        null,
        new History(now, replacements),
        null,
        suspicions,
        doubting(newCause, leave));
  }

  /** The same epoch, with this server as the one that gets ready to join. */
  public RrsRecord joining(Member member, boolean ready) {
    return new RrsRecord(
        link,
        state,
        hasServed,
        suspect,
        note,
        cause,
        history,
        new Joining(member, ready),
        suspicions,
        doubted);
  }

  /** The same epoch, with what the master has learned. */
  RrsRecord suspecting(Suspicions learned) {
    return new RrsRecord(
        link, state, hasServed, suspect, note, cause, history, joining, learned, doubted);
  }

  /** The same epoch, after this node has checked its replicas: it is no longer doubted. */
  public RrsRecord trusting(String node) {
    Map<String, Integer> others = new TreeMap<>(doubted);
    others.remove(node);
    return new RrsRecord(
        link, state, hasServed, suspect, note, cause, history, joining, suspicions, others);
  }

  /** The doubted nodes after this epoch has ended. A wrong answer adds {@code nodes}. */
  private Map<String, Integer> doubting(Cause endsFor, List<String> nodes) {
    if (endsFor != Cause.WRONG_ANSWER && endsFor != Cause.DIFFERED) {
      return doubted;
    }
    Map<String, Integer> all = new TreeMap<>(doubted);
    nodes.stream().filter(n -> !n.isEmpty()).forEach(n -> all.put(n, epoch()));
    return all;
  }
}
