package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.Suspicions;

/**
 * The members of a region, in chain order, in an epoch: one to three. Immutable.
 *
 * @param holders nodes that have all of the region's data: the members of the last epoch that
 *     served, before this one
 * @param suspect the node without which the next epoch had better be, or empty
 * @param note why the epoch is what it is, in words
 * @param cause why a BROKEN epoch cannot go on; else null
 * @param history of the epochs before
 * @param served the newest epoch that has served, which every holder's log must reach; 0: none
 * @param joining who is to be a member of the next epoch, or null
 * @param suspicions what the epochs since the region last served ended for, as far as the master
 *     has acted on it
 * @param doubted nodes that have answered wrongly and have not checked their replicas since, with
 *     the last epoch that ended for it
 */
@JsonIgnoreProperties(ignoreUnknown = true)
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
   * The replacements so far.
   *
   * @param since when this epoch was opened, in ms since 1970; 0 for the first
   * @param replacements how many for each cause
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
   * @param ready whether it has read what it can
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

  /** An epoch of which no history is known. */
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
   * One member.
   *
   * @param node the server's name
   * @param startCode of the process that is the member: one that started later knows nothing of
   *     this epoch
   * @param dataNode {@code ip:port} of its DataNode
   */
  public record Member(String node, long startCode, String dataNode) {}

  /** Copies the members; records of older versions have no history, no suspicions and no doubts. */
  @JsonCreator
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

  /** The same epoch, which serves now: its members have all data. The note stays. */
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

  /** The same epoch, which cannot go on, or not now. */
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

  /** The same epoch, which cannot go on. */
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
   * The next epoch, which opens.
   *
   * @param now in ms since 1970
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

  /** The same epoch, for which this server gets ready or is. */
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

  /** The same, of which the master has learned this. */
  public RrsRecord suspecting(Suspicions learned) {
    return new RrsRecord(
        epoch, members, holders, state, suspect, note, cause, history, served, joining, learned,
        doubted);
  }

  /** The same, after this node has checked its replicas. */
  public RrsRecord trusting(String node) {
    Map<String, Integer> others = new HashMap<>(doubted);
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

  /** Whoever is named, or left out, when the epoch ends for a wrong answer. */
  private Map<String, Integer> doubting(Cause endsFor, List<String> nodes) {
    if (endsFor != Cause.WRONG_ANSWER && endsFor != Cause.DIFFERED) {
      return doubted;
    }
    Map<String, Integer> all = new HashMap<>(doubted);
    nodes.stream().filter(n -> !n.isEmpty()).forEach(n -> all.put(n, epoch));
    return all;
  }
}
