package org.salus.core.replacement;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.Lanes;

/**
 * The record of a region's RRS in one epoch (paper §4.2.2). Immutable.
 *
 * @param epoch the epoch's number
 * @param members the members in chain order, one to three
 * @param holders the nodes that have everything that was acknowledged: the members of the last
 *     epoch that served
 * @param state the region's state
 * @param suspect the node that the next epoch should be without, or empty
 * @param note why the epoch is in its state, in words
 * @param cause the reason why a BROKEN epoch cannot go on; else null
 * @param history the replacements up to this epoch
 * @param served the newest epoch that has served, which every holder's log must reach; 0 for none
 * @param joining the server that gets ready to be a member of the next epoch, or null
 * @param suspicions what the master knows against members since the region last served, as far as
 *     it has acted on it
 * @param doubted the nodes that answered wrongly and have not checked their replicas since, each
 *     with the last epoch that ended for it
 */
public record RrsRecord(
    int epoch,
    List<Member> members,
    List<String> holders,
    State state,
    String suspect,
    String note,
    Cause cause,
    History history,
    int served,
    Joining joining,
    Suspicions suspicions,
    Map<String, Integer> doubted) {

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
  public record Joining(Member member, boolean ready) {}

  /** The region's first epoch. */
  public RrsRecord(
      int epoch,
      List<Member> members,
      List<String> holders,
      State state,
      String suspect,
      String note) {
    this(epoch, members, holders, state, suspect, note, 0);
  }

  /** An epoch without known history. */
  public RrsRecord(
      int epoch,
      List<Member> members,
      List<String> holders,
      State state,
      String suspect,
      String note,
      int served) {
    this(
        epoch,
        members,
        holders,
        state,
        suspect,
        note,
        null,
        History.NONE,
        served,
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
  public record Member(String node, long startCode, String dataNode) {}

  /**
   * Copies the collections. Records of older versions have no history, suspicions or doubted nodes.
   */
  public RrsRecord {
    members = List.copyOf(members);
    holders = List.copyOf(holders);
    history = history == null ? History.NONE : history;
    suspicions = suspicions == null ? Suspicions.NONE : suspicions;
    doubted = doubted == null ? Map.of() : Map.copyOf(doubted);
    if (members.isEmpty()) {
      throw new IllegalArgumentException("an epoch without members");
    }
  }

  /** The members' names in chain order. */
  public List<String> nodes() {
    return members.stream().map(Member::node).toList();
  }

  /** The same epoch, serving. Its members become the holders; the note stays. */
  public RrsRecord serving() {
    return new RrsRecord(
        epoch,
        members,
        nodes(),
        State.SERVING,
        "",
        note,
        null,
        history,
        epoch,
        null,
        suspicions,
        doubted);
  }

  /** The same epoch in another state. */
  public RrsRecord with(State next, String newSuspect, String why) {
    return new RrsRecord(
        epoch,
        members,
        holders,
        next,
        newSuspect,
        why,
        next == State.BROKEN ? Cause.FAILED : null,
        history,
        served,
        null,
        suspicions,
        doubted);
  }

  /** The same epoch, BROKEN: it cannot go on. */
  public RrsRecord broken(Cause newCause, String newSuspect, String why) {
    return new RrsRecord(
        epoch,
        members,
        holders,
        State.BROKEN,
        newSuspect,
        why,
        newCause,
        history,
        served,
        null,
        suspicions,
        doubting(newCause, List.of(newSuspect)));
  }

  /**
   * The same epoch, BROKEN for what a session said of a member. If two members answered a mount
   * differently, nobody knows which is right.
   */
  public RrsRecord accused(Cause newCause, String node, String why) {
    boolean anyOf = newCause == Cause.DISAGREED && members.size() < Lanes.COUNT;
    return broken(newCause, anyOf ? "" : node, why);
  }

  /** Whether a member's word that epoch {@code ofEpoch} is in a state counts. */
  public boolean isFollowedBy(int ofEpoch, State next) {
    return epoch == ofEpoch
        && state != next
        && state != State.BROKEN
        && !(next == State.FULL && state == State.SERVING);
  }

  /**
   * The next epoch, OPENING.
   *
   * @param now the time, in ms since 1970
   */
  public RrsRecord next(List<Member> newMembers, Cause newCause, String why, long now) {
    Map<Cause, Integer> replacements = new EnumMap<>(Cause.class);
    replacements.putAll(history.replacements());
    replacements.merge(newCause, 1, Integer::sum);
    List<String> stay = newMembers.stream().map(Member::node).toList();
    List<String> leave = nodes().stream().filter(n -> !stay.contains(n)).toList();
    return new RrsRecord(
        epoch + 1,
        newMembers,
        holders,
        State.OPENING,
        "",
        why,
        null,
        new History(now, replacements),
        served,
        null,
        suspicions,
        doubting(newCause, leave));
  }

  /** The same epoch, with this server as the one that gets ready to join. */
  public RrsRecord joining(Member member, boolean ready) {
    return new RrsRecord(
        epoch,
        members,
        holders,
        state,
        suspect,
        note,
        cause,
        history,
        served,
        new Joining(member, ready),
        suspicions,
        doubted);
  }

  /** The same epoch, with what the master has learned. */
  public RrsRecord suspecting(Suspicions learned) {
    return new RrsRecord(
        epoch, members, holders, state, suspect, note, cause, history, served, joining, learned,
        doubted);
  }

  /** The same epoch, after this node has checked its replicas: it is no longer doubted. */
  public RrsRecord trusting(String node) {
    Map<String, Integer> others = new TreeMap<>(doubted);
    others.remove(node);
    return new RrsRecord(
        epoch,
        members,
        holders,
        state,
        suspect,
        note,
        cause,
        history,
        served,
        joining,
        suspicions,
        others);
  }

  /** The doubted nodes after this epoch has ended. A wrong answer adds {@code nodes}. */
  private Map<String, Integer> doubting(Cause endsFor, List<String> nodes) {
    if (endsFor != Cause.WRONG_ANSWER && endsFor != Cause.DIFFERED) {
      return doubted;
    }
    Map<String, Integer> all = new TreeMap<>(doubted);
    nodes.stream().filter(n -> !n.isEmpty()).forEach(n -> all.put(n, epoch));
    return all;
  }
}
