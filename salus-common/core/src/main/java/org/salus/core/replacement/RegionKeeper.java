package org.salus.core.replacement;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
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

  /** In a record's note, the words before the reason why no server joins. */
  private static final String STAYS = "; it goes on with ";

  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;

  private final RegionId region;
  private final Signer signer;
  private final EpochRules epochs;
  private final KeeperRules rules;
  private final int minMembers;
  private final boolean strict;
  private final KeeperTimes times;
  private final Troubled troubled;
  private final AbsentHolders absent;

  /** The last epoch that was looked at while HDFS did not do what volumes need. */
  private int hindered;

  /** The newest epoch that the record and the chain name. */
  private int newest;

  private Since<Integer> opened = new Since<>(0, 0);

  /** Since when no holder runs, by the epoch that served last. */
  private Since<Integer> alone = new Since<>(-1, 0);

  private Since<Joining> asked = new Since<>(null, 0);

  /** The reason why an epoch cannot go on. */
  private record Why(Cause cause, String text) {}

  /**
   * The next change.
   *
   * @param record the record that takes the place of the one that was looked at
   * @param said what happens, for the log
   */
  public record Step(RrsRecord record, String said) {}

  /**
   * What operators and the volume ask for.
   *
   * @param minMembers the least number of members of an epoch, unless the volume is strict
   * @param strict whether every epoch has three members
   */
  public record Asked(int minMembers, boolean strict) {}

  /**
   * @param signer signs the links of the epochs
   * @param epochs the rules of the chain of epochs
   * @param troubled the servers that broke an epoch of any region of the volume
   */
  public RegionKeeper(
      RegionId region,
      Signer signer,
      EpochRules epochs,
      KeeperRules rules,
      Asked asked,
      KeeperTimes times,
      Troubled troubled) {
    this.region = region;
    this.signer = signer;
    this.epochs = epochs;
    this.rules = rules;
    this.minMembers = asked.strict ? Lanes.COUNT : asked.minMembers;
    this.strict = asked.strict;
    this.times = times;
    this.absent = new AbsentHolders(rules, times);
    this.troubled = troubled;
  }

  /**
   * The record of the first epoch. The members are the servers that should have the region's, or
   * others for those whose DataNodes do not take new replicas. M0's place goes round with them.
   * Empty while they are not three.
   */
  private Optional<Step> first(ClusterView cluster) {
    Map<String, Member> running = cluster.running();
    List<String> placed =
        cluster.placement().stream().distinct().filter(running::containsKey).toList();
    List<Member> members =
        candidates(placed, cluster).limit(Lanes.COUNT).map(running::get).toList();
    if (placed.size() != Lanes.COUNT || members.size() != Lanes.COUNT) {
      return Optional.empty();
    }
    List<String> nodes = members.stream().map(Member::node).toList();
    EpochLink link = EpochLink.first(region, newest + 1, members, members, signer);
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
  public Optional<Step> next(RrsRecord found, ClusterView cluster) {
    RrsRecord signed =
        found != null
                && found.link().region().equals(region)
                && epochs.isGenuine(found.link(), signer)
            ? found
            : null;
    EpochRegister known = cluster.register();
    if (known == null) {
      if (signed != null && cluster.trouble().isPresent()) {
        hinder(signed, cluster);
      }
      return Optional.empty();
    }
    if (signed != null && signed.served() > 0 && known.newest() == null) {
      return filesAreLost(signed);
    }
    RrsRecord rrs =
        signed != null && epochs.isOfChain(signed.link(), known)
            ? asServed(signed, known)
            : restored(known, found == null);
    newest = Math.max(rrs == null ? 0 : rrs.epoch(), signed == null ? 0 : signed.epoch());
    return rrs == null ? first(cluster) : next(rrs, known, cluster);
  }

  private Optional<Step> next(RrsRecord found, EpochRegister known, ClusterView cluster) {
    if (cluster.trouble().isPresent()) {
      hinder(found, cluster);
      return Optional.empty();
    }
    RrsRecord rrs = withoutBlame(found);
    Why why = why(rrs, cluster);
    absent.look(rrs, why == null && rrs.state() == State.SERVING, cluster);
    if (why == null && AbsentHolders.mayWait(rrs)) {
      Optional<Step> next = takeBack(rrs, known, cluster).or(() -> waive(rrs, known, cluster));
      if (next.isPresent()) {
        return next;
      }
    }
    if (why == null && isOverdue(rrs, cluster)) {
      return Optional.of(giveUpOpening(rrs));
    }
    if (why != null) {
      return openNext(rrs, known, why, cluster);
    }
    return rrs.state() == State.SERVING && !opened.isWithin(rrs.epoch(), times.join(), cluster)
        ? complete(rrs, known, cluster)
        : Optional.empty();
  }

  /** While HDFS is in trouble no epoch can open, and no member is to blame. Reads go on. */
  private void hinder(RrsRecord rrs, ClusterView cluster) {
    hindered = rrs.epoch();
    absent.stopTheClock();
    opened = rrs.state() == State.OPENING ? new Since<>(rrs.epoch(), cluster.nanos()) : opened;
  }

  /** Opens an epoch of the same members that need not wait for holders that are away. */
  private Optional<Step> waive(RrsRecord rrs, EpochRegister known, ClusterView cluster) {
    return absent
        .newWaiver(rrs, cluster)
        .map(
            waiver -> {
              String words = AbsentHolders.words(rrs, waiver);
              EpochLink link = known.served().next(newest + 1, rrs.members(), waiver, signer);
              return new Step(rrs.next(link, Cause.UNPROVEN, words, cluster.millis()), words);
            });
  }

  /** Opens an epoch with holders that have come back, in place of one that may wait for them. */
  private Optional<Step> takeBack(RrsRecord rrs, EpochRegister known, ClusterView cluster) {
    List<String> back = absent.back(rrs, cluster);
    if (back.isEmpty()) {
      return Optional.empty();
    }
    Optional<Step> next =
        openNext(rrs, known, new Why(Cause.UNPROVEN, back + " are there again"), cluster)
            .filter(step -> step.record().state() == State.OPENING)
            .filter(step -> step.record().nodes().stream().anyMatch(back::contains));
    next.ifPresent(step -> absent.tookBack(back));
    return next;
  }

  /**
   * An epoch that ended because of HDFS' trouble has nobody to blame. What was proved still counts.
   */
  private RrsRecord withoutBlame(RrsRecord rrs) {
    boolean isGuess = rrs.cause() == Cause.STALLED || rrs.cause() == Cause.FAILED;
    return rrs.epoch() == hindered && rrs.state() == State.BROKEN && isGuess
        ? rrs.broken(Cause.FAILED, "", rrs.note())
        : rrs;
  }

  /**
   * Has a server join if members are missing, or if one's DataNode retires. A server whose DataNode
   * is full would end what serves.
   */
  private Optional<Step> complete(RrsRecord rrs, EpochRegister known, ClusterView cluster) {
    Leaving leaving = new Leaving(cluster);
    List<String> stay = leaving.staying(rrs.nodes());
    if (stay.size() == Lanes.COUNT) {
      return note(rrs, cause(rrs.note()));
    }
    Optional<Member> spare =
        leaving.allRetire(rrs.nodes())
            ? Optional.empty() // a holder must go on
            : spares(rrs, cluster)
                .filter(n -> !rrs.nodes().contains(n) && !leaving.isLeft(n))
                .map(cluster.running()::get)
                .filter(n -> cluster.dataNode(n) != DataNodeState.FULL)
                .findFirst();
    return spare.isPresent()
        ? join(rrs, known, spare.get(), stay, cluster)
        : note(rrs, cause(rrs.note()) + whyNoneJoins(rrs, leaving));
  }

  /** The servers that could join if nobody took their DataNodes out, in words, or nothing. */
  private static String whyNoneJoins(RrsRecord rrs, Leaving leaving) {
    String all = leaving.words();
    return all.isEmpty()
        ? ""
        : STAYS
            + rrs.nodes()
            + (leaving.allRetire(rrs.nodes())
                ? ", for one of them must go on: take one back: "
                : ", for no other server can join: ")
            + all;
  }

  /** Changes the words of a record that serves if there is anything new to say. Nobody joins. */
  private static Optional<Step> note(RrsRecord rrs, String note) {
    return rrs.note().equals(note) && rrs.joining() == null
        ? Optional.empty()
        : Optional.of(new Step(rrs.noting(note), "nobody joins: " + note));
  }

  /**
   * The region has had an epoch that served, but HDFS has lost its directory and the chain with it.
   * A new first epoch would begin an empty log.
   */
  private static Optional<Step> filesAreLost(RrsRecord found) {
    String note =
        "epoch "
            + found.served()
            + " has served: its files are gone from HDFS with their directory; bring it back, from"
            + " an HDFS trash or snapshot";
    return found.state() == State.BROKEN && found.note().equals(note)
        ? Optional.empty()
        : Optional.of(new Step(found.broken(Cause.FAILED, "", note), note));
  }

  /** The chain says whether an epoch has served, and so who the holders are. */
  private static RrsRecord asServed(RrsRecord rrs, EpochRegister known) {
    boolean served = rrs.link().equals(known.served());
    return rrs.hasServed() == served ? rrs : rrs.corrected(served);
  }

  /**
   * The newest epoch that the chain has, in place of a record that is missing, forged or older;
   * null if the region has had none.
   */
  private static RrsRecord restored(EpochRegister known, boolean isMissing) {
    return known.newest() == null
        ? null
        : RrsRecord.restored(
            known,
            isMissing ? "its record is missing" : "its record is not of its chain of epochs");
  }

  /** Why an epoch cannot go on, or null. */
  private static Why why(RrsRecord rrs, ClusterView cluster) {
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
  private static boolean isRunning(Member m, ClusterView cluster) {
    Member now = cluster.running().get(m.node());
    return now != null && now.startCode() == m.startCode();
  }

  /** Whether the epoch should have opened by now, but has not. */
  private boolean isOverdue(RrsRecord rrs, ClusterView cluster) {
    if (rrs.state() != State.OPENING) {
      return false;
    }
    opened = opened.of(rrs.epoch(), cluster);
    return !opened.isWithin(rrs.epoch(), times.opening() << inVain(rrs), cluster);
  }

  private Step giveUpOpening(RrsRecord rrs) {
    MemberChoice choice = new MemberChoice(rrs.suspicions());
    List<String> joiners = rrs.nodes().stream().filter(n -> !rrs.holders().contains(n)).toList();
    String guess = choice.guess(joiners.isEmpty() ? rrs.nodes() : joiners); // holders have served
    String note =
        "epoch "
            + rrs.epoch()
            + " did not open in "
            + (times.opening() << inVain(rrs)) / SECOND
            + " s";
    return new Step(
        rrs.broken(Cause.STALLED, guess, note).suspecting(choice.suspicions()),
        note + ", and goes on without " + guess);
  }

  private static int inVain(RrsRecord rrs) {
    return Math.max(0, Math.min(KeeperTimes.MOST_DOUBLINGS, rrs.epoch() - rrs.served() - 1));
  }

  /**
   * Has another server get ready to join. Once it is ready, the epoch ends and it joins.
   *
   * @param stay the members that do not leave
   */
  private Optional<Step> join(
      RrsRecord rrs, EpochRegister known, Member spare, List<String> stay, ClusterView cluster) {
    Joining joining = rrs.joining();
    if (joining == null || !joining.member().equals(spare)) {
      return Optional.of(new Step(rrs.joining(spare, false), spare.node() + " gets ready to join"));
    }
    Joining unready = new Joining(spare, false);
    asked = asked.of(unready, cluster);
    if (!joining.ready() && asked.isWithin(unready, times.ready(), cluster)) {
      return Optional.empty();
    }
    boolean isWhole = stay.size() == rrs.members().size();
    Why why =
        isWhole
            ? new Why(Cause.JOINED, spare.node() + " joins")
            : new Why(
                Cause.RETIRED,
                spare.node() + " joins, because " + new Leaving(cluster).words(rrs.nodes()));
    return openNext(rrs, known, why, cluster).filter(step -> isMore(step.record(), rrs, stay));
  }

  /** Whether a join puts out nobody that stays: a DataNode may just have been silent. */
  private static boolean isMore(RrsRecord next, RrsRecord now, List<String> stay) {
    return next.epoch() > now.epoch()
        && next.nodes().containsAll(stay)
        && !now.nodes().containsAll(next.nodes());
  }

  /**
   * Chooses the members of the next epoch. The holders that run with their DataNodes go on at once.
   * Spares take the other places now only if too few holders are left; otherwise they join later. A
   * holder whose DataNode retires cannot get a replica; joiners still read what it has. One that is
   * drained goes on until a spare joins, and is itself the last spare of what does not serve.
   * Without any holder, spares alone build the region from the holders' DataNodes. The region waits
   * while it has too few servers, or nobody can read its data.
   */
  private Optional<Step> openNext(
      RrsRecord rrs, EpochRegister known, Why why, ClusterView cluster) {
    Map<String, Member> running = cluster.running();
    List<String> having =
        rrs.holders().stream()
            .filter(n -> running.containsKey(n) && cluster.hasDataNode(running.get(n)))
            .toList();
    if (!having.isEmpty()) {
      alone = new Since<>(-1, 0);
    }
    boolean restarted = rrs.members().stream().noneMatch(m -> isRunning(m, cluster));
    if (rrs.holders().stream()
        .anyMatch(n -> !running.containsKey(n) && !cluster.isPatienceOver(n, restarted))) {
      return Optional.empty(); // servers that start together register one after the other
    }
    if (opened.isWithin(rrs.epoch(), times.pause() << inVain(rrs), cluster)) {
      return Optional.empty(); // the trouble may last
    }
    boolean joins = why.cause == Cause.JOINED || why.cause == Cause.RETIRED;
    Leaving leaving = new Leaving(cluster);
    List<String> able = leaving.able(having, joins);
    Supplier<Stream<String>> spares =
        () -> spares(rrs, cluster).filter(n -> !joins || !leaving.isLeft(n));
    MemberChoice choice = new MemberChoice(rrs.suspicions());
    choice.ended(rrs.epoch(), rrs.served(), rrs.nodes(), why.cause, rrs.suspect());
    if (!choice.suspect().isEmpty() && !choice.suspicions().equals(rrs.suspicions())) {
      troubled.add(choice.suspect(), cluster.nanos());
    }
    boolean rebuilds = having.isEmpty() && mayRebuild(rrs, known, cluster);
    int more = rebuilds ? Lanes.COUNT : Math.min(Lanes.COUNT, able.size() + 1);
    int wanted = joins || rebuilds ? Math.max(minMembers, more) : minMembers;
    List<String> nodes = choice.members(able, spares, wanted, minMembers);
    if (able.isEmpty() && !rebuilds
        || nodes.size() < minMembers
        || able.size() < having.size() && !mayGoOnWithout(choice, able, nodes)) {
      return await(rrs, why, choice.suspicions(), whatFor(rrs, having, able, nodes, cluster));
    }
    EpochLink link = link(rrs, known, nodes, rebuilds, cluster);
    if (!rules.areEnough(nodes.size(), AbsentHolders.mayWait(link))) {
      nodes = choice.members(able, spares, 2, 2);
      if (nodes.size() == 1) {
        return await(rrs, why, choice.suspicions(), company(nodes, rrs));
      }
      link = link(rrs, known, nodes, rebuilds, cluster);
    }
    RrsRecord next =
        rrs.next(link, why.cause, cause(why.text), cluster.millis())
            .suspecting(choice.suspicions());
    return Optional.of(
        new Step(next, "epoch " + next.epoch() + " on " + nodes + ", for " + next.note()));
  }

  private EpochLink link(
      RrsRecord rrs,
      EpochRegister known,
      List<String> nodes,
      boolean rebuilds,
      ClusterView cluster) {
    List<Member> members = nodes.stream().map(cluster.running()::get).toList();
    int number = newest + 1;
    if (known.served() == null) {
      return EpochLink.first(region, number, members, rebuilds ? members : rrs.holding(), signer);
    }
    EpochLink bare = known.served().next(number, members, signer);
    return bare.succession().isWhole()
        ? bare
        : known.served().next(number, members, absent.waiver(rrs, cluster), signer);
  }

  /** What a holder waits for that would go on alone while others are away, in words. */
  private String company(List<String> alone, RrsRecord rrs) {
    return "only "
        + alone
        + " can be a member, and others of "
        + rrs.holders()
        + " may come back: start one of them or another server; after "
        + times.proof() / SECOND
        + " s without a user it goes on alone";
  }

  /**
   * Whether others may build a region of which no holder has run for a while. If it has never
   * served, there is nothing to read. Otherwise one of the holders' DataNodes must be alive.
   */
  private boolean mayRebuild(RrsRecord rrs, EpochRegister known, ClusterView cluster) {
    alone = alone.of(rrs.served(), cluster);
    return !alone.isWithin(rrs.served(), times.rebuild(), cluster)
        && (known.served() == null || rrs.holding().stream().anyMatch(cluster::hasDataNode));
  }

  /**
   * Whether a region may go on without holders whose DataNodes retire. They are right as far as
   * anybody knows, so no suspect goes on in their place, and members that have answered differently
   * need a third.
   */
  private static boolean mayGoOnWithout(
      MemberChoice choice, List<String> able, List<String> nodes) {
    return nodes.stream().anyMatch(n -> able.contains(n) && !n.equals(choice.suspect()))
        && (!choice.suspicions().disagreed() || nodes.size() == Lanes.COUNT);
  }

  /**
   * What a region waits for that cannot go on, in words.
   *
   * @param having the holders that run with their DataNodes
   * @param able those of them that can be members
   * @param possible the servers that can be members
   */
  private String whatFor(
      RrsRecord rrs,
      List<String> having,
      List<String> able,
      List<String> possible,
      ClusterView cluster) {
    if (having.isEmpty()) {
      return "none of "
          + rrs.holders()
          + " runs with its DataNode, which have its data: start one of them"
          + (rrs.holding().stream().anyMatch(cluster::hasDataNode)
              ? "; after "
                  + times.rebuild() / SECOND
                  + " s other servers build it from what is on those DataNodes, if "
                  + minMembers
                  + " can"
              : "");
    }
    return able.isEmpty()
        ? "HDFS places nothing where its data is, because "
            + new Leaving(cluster).words(having)
            + ": take one of them back"
        : "only "
            + possible
            + " can be members, and "
            + (strict ? "the strict volume" : "salus.rrs.min-members")
            + " asks for "
            + minMembers
            + ": start more servers and their DataNodes"
            + (able.size() < having.size()
                ? ", or take one back, because " + new Leaving(cluster).words(having)
                : "");
  }

  private Optional<Step> await(RrsRecord rrs, Why why, Suspicions learned, String wanted) {
    String note = cause(why.text) + WAITS + wanted;
    return rrs.state() == State.BROKEN && rrs.note().equals(note)
        ? Optional.empty()
        : Optional.of(new Step(rrs.broken(why.cause, "", note).suspecting(learned), note));
  }

  /** Returns why an epoch ended, without the words about what its region waits for or lacks. */
  private static String cause(String note) {
    int end =
        Stream.of(WAITS, STAYS)
            .mapToInt(note::indexOf)
            .filter(i -> i >= 0)
            .min()
            .orElse(note.length());
    return note.substring(0, end);
  }

  /**
   * Returns the servers that can join a region, best first. First comes the server that gets ready,
   * then those that should have the region's members. Servers without a live DataNode are left out,
   * because they would break the epoch.
   */
  private Stream<String> spares(RrsRecord rrs, ClusterView cluster) {
    LinkedHashSet<String> nodes = new LinkedHashSet<>();
    if (rrs.joining() != null) {
      nodes.add(rrs.joining().member().node());
    }
    nodes.addAll(cluster.placement());
    return candidates(nodes, cluster)
        .filter(
            n ->
                !troubled.has(n, cluster.nanos())
                    && !isSuspect(n, rrs, cluster)
                    && cluster.hasDataNode(cluster.running().get(n)));
  }

  /**
   * Returns the servers that run and whose DataNodes do not retire: these first, then others. Stale
   * and full DataNodes come after them, and servers that are drained come last.
   */
  private static Stream<String> candidates(Collection<String> first, ClusterView cluster) {
    LinkedHashSet<String> nodes = new LinkedHashSet<>(first);
    nodes.addAll(cluster.running().keySet());
    Map<String, Member> running = cluster.running();
    Leaving leaving = new Leaving(cluster);
    return nodes.stream()
        .filter(n -> running.containsKey(n) && !leaving.isRetiring(n))
        .sorted(
            Comparator.comparing(leaving::isLeft)
                .thenComparing(n -> cluster.dataNode(running.get(n)) != DataNodeState.IN_SERVICE));
  }

  /** Whether the server was just left out as the suspect, perhaps by another master. */
  private static boolean isSuspect(String node, RrsRecord rrs, ClusterView cluster) {
    long since = (cluster.millis() - rrs.history().since()) * MILLI;
    return rrs.suspicions().suspect().equals(node) && 0 <= since && since < Troubled.NANOS;
  }
}
