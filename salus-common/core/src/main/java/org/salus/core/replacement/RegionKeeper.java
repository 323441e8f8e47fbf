package org.salus.core.replacement;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.replacement.RrsRecord.Joining;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;

/**
 * The master's care for one region: when an epoch ends, who the members of the next are, and who
 * gets ready to join (paper §4.2.2, §4.4 phase 1). The production master and the simulator run it.
 *
 * <p>It looks at the region's record, at the chain of epochs that the NameNode keeps, and at the
 * cluster. It answers with the one change to be made next. Nothing is lost if that change is not
 * made: the next look finds it again. A record that is not of the chain counts as lost, and is made
 * again from the chain. What the keeper keeps besides are times, which a new master may begin anew.
 * Not thread-safe.
 */
public final class RegionKeeper {
  /** In a record's note, the words between the reason of an epoch's end and what it waits for. */
  private static final String WAITS = "; it waits: ";

  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;

  private final RegionId region;
  private final Signer signer;
  private final EpochRules rules;
  private final int minMembers;
  private final Times times;
  private final Troubled troubled;

  /** The newest epoch that the record and the chain name. */
  private int newest;

  private Since<Integer> opened = new Since<>(0, 0);
  private Since<Joining> asked = new Since<>(null, 0);

  /**
   * Since when something is as it is. A record may have been changed by others, so a time counts
   * only for what it was taken for.
   *
   * @param nanos the time in nanoseconds
   */
  private record Since<T>(T what, long nanos) {
    Since<T> of(T now, Cluster cluster) {
      return now.equals(what) ? this : new Since<>(now, cluster.nanos());
    }

    boolean isWithin(T now, long most, Cluster cluster) {
      return now.equals(what) && cluster.nanos() - nanos < most;
    }
  }

  /** The reason why an epoch cannot go on. */
  private record Why(Cause cause, String text) {}

  /**
   * How long the keeper waits, in nanoseconds.
   *
   * @param pause the shortest time between two epochs. It doubles for each epoch that did not
   *     serve, up to {@link #MOST_DOUBLINGS} times.
   * @param opening the time in which an epoch must open, because reading a log takes seconds. It
   *     doubles like {@code pause}.
   * @param join the time after an epoch's opening in which no server joins. A joiner stops writes
   *     again, so the members first do the writes that have waited.
   * @param ready the time that a server gets to get ready. After it, the server joins as it is.
   */
  public record Times(long pause, long opening, long join, long ready) {
    static final int MOST_DOUBLINGS = 3;

    /** What production waits. */
    public static final Times USUAL = new Times(SECOND, 30 * SECOND, 5 * SECOND, 60 * SECOND);
  }

  /** What the keeper sees of the cluster. */
  public interface Cluster {
    /**
     * What the NameNode knows of the region's epochs. It is no older than the record that is looked
     * at. Null while that is unknown: nobody builds an epoch on a guess.
     */
    EpochRegister register();

    /** The servers that answer, by node, as the members that they could be. */
    Map<String, Member> running();

    /** The servers that should have the region's members, best first. */
    List<String> placement();

    /** Whether a server's DataNode is alive. */
    boolean hasDataNode(Member server);

    /**
     * Whether an absent server has had enough time to start.
     *
     * @param restarted whether no process of the region's epoch is left, so that registrations may
     *     be from before a restart
     */
    boolean isPatienceOver(String node, boolean restarted);

    /** The time in nanoseconds, on a clock that only goes on. */
    long nanos();

    /** The time in milliseconds since 1970. */
    long millis();
  }

  /**
   * The next change.
   *
   * @param record the record that takes the place of the one that was looked at
   * @param said what happens, for the log
   */
  public record Step(RrsRecord record, String said) {}

  /**
   * @param signer signs the links of the epochs
   * @param minMembers the least number of members of an epoch
   * @param troubled the servers that broke an epoch of any region of the volume
   */
  public RegionKeeper(
      RegionId region,
      Signer signer,
      EpochRules rules,
      int minMembers,
      Times times,
      Troubled troubled) {
    this.region = region;
    this.signer = signer;
    this.rules = rules;
    this.minMembers = minMembers;
    this.times = times;
    this.troubled = troubled;
  }

  /**
   * The record of the first epoch: the members are the servers that should have the region's. M0's
   * place goes round with them. Empty while they are not three.
   */
  private Optional<Step> first(Cluster cluster) {
    Map<String, Member> running = cluster.running();
    List<Member> members =
        cluster.placement().stream()
            .distinct()
            .filter(running::containsKey)
            .map(running::get)
            .toList();
    if (members.size() != Lanes.COUNT) {
      return Optional.empty();
    }
    List<String> nodes = members.stream().map(Member::node).toList();
    EpochLink link = EpochLink.first(region, newest + 1, members, nodes, signer);
    return Optional.of(
        new Step(
            new RrsRecord(link, State.OPENING, "the first"),
            "epoch " + link.epoch() + " on " + nodes));
  }

  /** Notes that an epoch was opened. */
  public void opened(int epoch, long nanos) {
    opened = new Since<>(epoch, nanos);
  }

  /**
   * The change that is to be made now, or empty.
   *
   * @param found the region's record, or null if there is none
   */
  public Optional<Step> next(RrsRecord found, Cluster cluster) {
    EpochRegister known = cluster.register();
    if (known == null) {
      return Optional.empty();
    }
    if (isLost(found, known)) {
      return foundLost(found);
    }
    RrsRecord rrs = ofChain(found, known);
    newest =
        found != null && rules.isGenuine(found.link(), signer)
            ? Math.max(rrs == null ? 0 : rrs.epoch(), found.epoch())
            : rrs == null ? 0 : rrs.epoch();
    return rrs == null ? first(cluster) : next(rrs, known, cluster);
  }

  private Optional<Step> next(RrsRecord rrs, EpochRegister known, Cluster cluster) {
    Why why = why(rrs, cluster);
    if (why == null && isOverdue(rrs, cluster)) {
      return Optional.of(giveUpOpening(rrs));
    }
    if (why != null) {
      return openNext(rrs, known, why, cluster);
    }
    return rrs.state() == State.SERVING
            && rrs.members().size() < Lanes.COUNT
            && !opened.isWithin(rrs.epoch(), times.join, cluster)
        ? join(rrs, known, cluster)
        : Optional.empty();
  }

  /**
   * Whether the region has had an epoch that served, but HDFS has lost its directory and the chain
   * with it. A new first epoch would begin an empty log.
   */
  private boolean isLost(RrsRecord found, EpochRegister known) {
    return known.newest() == null
        && found != null
        && found.served() > 0
        && found.link().region().equals(region)
        && rules.isGenuine(found.link(), signer);
  }

  private static Optional<Step> foundLost(RrsRecord found) {
    String note =
        "epoch "
            + found.served()
            + " has served: its files are gone from HDFS with their directory; bring it back, from"
            + " an HDFS trash or snapshot";
    return found.state() == State.BROKEN && found.note().equals(note)
        ? Optional.empty()
        : Optional.of(new Step(found.broken(Cause.FAILED, "", note), note));
  }

  /**
   * The record as far as the chain confirms it, or null if the region has had no epoch. If the
   * record is missing, forged or older than the chain, the newest known epoch takes its place.
   */
  private RrsRecord ofChain(RrsRecord found, EpochRegister known) {
    if (found != null
        && found.link().region().equals(region)
        && rules.isOfChain(found.link(), known, signer)) {
      return found.hasServed() && !found.link().equals(known.served()) ? found.notServed() : found;
    }
    return known.newest() == null
        ? null
        : RrsRecord.restored(
            known,
            found == null ? "its record is missing" : "its record is not of its chain of epochs");
  }

  /** Why an epoch cannot go on, or null. */
  private static Why why(RrsRecord rrs, Cluster cluster) {
    if (rrs.state() == State.BROKEN) {
      return new Why(rrs.cause() == null ? Cause.FAILED : rrs.cause(), rrs.note());
    }
    for (Member m : rrs.members()) {
      if (!isRunning(m, cluster)) {
        return new Why(
            Cause.GONE,
            m.node()
                + (cluster.running().containsKey(m.node()) ? " has started again" : " is gone"));
      }
    }
    return null;
  }

  /** Whether the member's process still runs. */
  private static boolean isRunning(Member m, Cluster cluster) {
    Member now = cluster.running().get(m.node());
    return now != null && now.startCode() == m.startCode();
  }

  /** Whether the epoch should have opened by now, but has not. */
  private boolean isOverdue(RrsRecord rrs, Cluster cluster) {
    if (rrs.state() != State.OPENING) {
      return false;
    }
    opened = opened.of(rrs.epoch(), cluster);
    return !opened.isWithin(rrs.epoch(), times.opening << inVain(rrs), cluster);
  }

  private Step giveUpOpening(RrsRecord rrs) {
    MemberChoice choice = new MemberChoice(rrs.suspicions());
    List<String> joiners = rrs.nodes().stream().filter(n -> !rrs.holders().contains(n)).toList();
    String guess = choice.guess(joiners.isEmpty() ? rrs.nodes() : joiners); // holders have served
    String note =
        "epoch "
            + rrs.epoch()
            + " did not open in "
            + (times.opening << inVain(rrs)) / SECOND
            + " s";
    return new Step(
        rrs.broken(Cause.STALLED, guess, note).suspecting(choice.suspicions()),
        note + ", and goes on without " + guess);
  }

  private static int inVain(RrsRecord rrs) {
    return Math.max(0, Math.min(Times.MOST_DOUBLINGS, rrs.epoch() - rrs.served() - 1));
  }

  /** Has another server get ready to join. Once it is ready, the epoch ends and it joins. */
  private Optional<Step> join(RrsRecord rrs, EpochRegister known, Cluster cluster) {
    Joining joining = rrs.joining();
    Optional<Member> spare =
        spares(rrs, cluster)
            .filter(n -> !rrs.nodes().contains(n))
            .findFirst()
            .map(cluster.running()::get);
    if (spare.isEmpty()) {
      return Optional.empty();
    }
    if (joining == null || !joining.member().equals(spare.get())) {
      return Optional.of(
          new Step(rrs.joining(spare.get(), false), spare.get().node() + " gets ready to join"));
    }
    Joining unready = new Joining(joining.member(), false);
    asked = asked.of(unready, cluster);
    return joining.ready() || !asked.isWithin(unready, times.ready, cluster)
        ? openNext(rrs, known, new Why(Cause.JOINED, joining.member().node() + " joins"), cluster)
            .filter(step -> isMore(step.record(), rrs))
        : Optional.empty();
  }

  /** Whether a join puts nobody out: a DataNode may just have been silent. */
  private static boolean isMore(RrsRecord next, RrsRecord now) {
    return next.epoch() > now.epoch()
        && next.members().size() > now.members().size()
        && next.nodes().containsAll(now.nodes());
  }

  /**
   * Chooses the members of the next epoch. The holders that run with their DataNodes go on at once.
   * Spares take the other places now only if too few holders are left; otherwise they join later.
   * The region waits while it has no holder or too few servers.
   */
  private Optional<Step> openNext(RrsRecord rrs, EpochRegister known, Why why, Cluster cluster) {
    Map<String, Member> running = cluster.running();
    List<String> having =
        rrs.holders().stream()
            .filter(n -> running.containsKey(n) && cluster.hasDataNode(running.get(n)))
            .toList();
    boolean restarted = rrs.members().stream().noneMatch(m -> isRunning(m, cluster));
    if (rrs.holders().stream()
        .anyMatch(n -> !running.containsKey(n) && !cluster.isPatienceOver(n, restarted))) {
      return Optional.empty(); // servers that start together register one after the other
    }
    if (opened.isWithin(rrs.epoch(), times.pause << inVain(rrs), cluster)) {
      return Optional.empty(); // the trouble may last
    }
    MemberChoice choice = new MemberChoice(rrs.suspicions());
    choice.ended(rrs.epoch(), rrs.served(), rrs.nodes(), why.cause, rrs.suspect());
    if (!choice.suspect().isEmpty() && !choice.suspicions().equals(rrs.suspicions())) {
      troubled.add(choice.suspect(), cluster.nanos());
    }
    int wanted = why.cause == Cause.JOINED ? rrs.members().size() + 1 : minMembers;
    List<String> nodes = choice.members(having, () -> spares(rrs, cluster), wanted, minMembers);
    if (having.isEmpty() || nodes.size() < minMembers) {
      return await(rrs, why, choice.suspicions(), having, nodes);
    }
    List<Member> members = nodes.stream().map(running::get).toList();
    int number = newest + 1;
    EpochLink link =
        known.served() == null
            ? EpochLink.first(region, number, members, rrs.holders(), signer)
            : known.served().next(number, members, signer);
    RrsRecord next =
        rrs.next(link, why.cause, cause(why.text), cluster.millis())
            .suspecting(choice.suspicions());
    return Optional.of(
        new Step(next, "epoch " + next.epoch() + " on " + nodes + ", for " + next.note()));
  }

  private Optional<Step> await(
      RrsRecord rrs, Why why, Suspicions learned, List<String> having, List<String> possible) {
    String wanted =
        having.isEmpty()
            ? "none of "
                + rrs.holders()
                + " runs with its DataNode, which have its data: start one of them"
            : "only "
                + possible
                + " can be members, and salus.rrs.min-members asks for "
                + minMembers
                + ": start more servers and their DataNodes";
    String note = cause(why.text) + WAITS + wanted;
    return rrs.state() == State.BROKEN && rrs.note().equals(note)
        ? Optional.empty()
        : Optional.of(new Step(rrs.broken(why.cause, "", note).suspecting(learned), note));
  }

  /** Returns why an epoch ended, without the words about what its region waits for. */
  private static String cause(String note) {
    int waits = note.indexOf(WAITS);
    return waits < 0 ? note : note.substring(0, waits);
  }

  /**
   * Returns the servers that can join a region, best first. First comes the server that gets ready,
   * then those that should have the region's members. Servers without a live DataNode are left out,
   * because they would break the epoch.
   */
  private Stream<String> spares(RrsRecord rrs, Cluster cluster) {
    LinkedHashSet<String> nodes = new LinkedHashSet<>();
    if (rrs.joining() != null) {
      nodes.add(rrs.joining().member().node());
    }
    nodes.addAll(cluster.placement());
    nodes.addAll(cluster.running().keySet());
    return nodes.stream()
        .filter(
            n ->
                cluster.running().containsKey(n)
                    && !troubled.has(n, cluster.nanos())
                    && !isSuspect(n, rrs, cluster)
                    && cluster.hasDataNode(cluster.running().get(n)));
  }

  /** Whether the server was just left out as the suspect, perhaps by another master. */
  private static boolean isSuspect(String node, RrsRecord rrs, Cluster cluster) {
    long since = (cluster.millis() - rrs.history().since()) * MILLI;
    return rrs.suspicions().suspect().equals(node) && 0 <= since && since < Troubled.NANOS;
  }
}
