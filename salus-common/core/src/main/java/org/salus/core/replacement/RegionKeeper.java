package org.salus.core.replacement;

import java.util.ArrayList;
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
  private static final long SECOND = 1_000_000_000L;

  private final RegionId region;
  private final Signer signer;
  private final EpochRules epochs;
  private final KeeperRules rules;
  private final Asked asks;
  private final int minMembers;
  private final KeeperTimes times;
  private final Troubled troubled;
  private final AbsentHolders absent;
  private final MoveBackOff moves;

  /** The last epoch that was looked at while HDFS did not do what volumes need. */
  private int hindered;

  /** The newest epoch that the record and the chain name. */
  private int newest;

  private Since<Integer> opened = new Since<>(0, 0);

  /** Since when no holder runs, by the epoch that served last. */
  private Since<Integer> alone = new Since<>(-1, 0);

  private Since<Joining> asked = new Since<>(null, 0);

  /**
   * The reason why an epoch cannot go on.
   *
   * @param moving the member whose replica is to be elsewhere, or null
   */
  private record Why(Cause cause, String text, String moving) {
    Why(Cause cause, String text) {
      this(cause, text, null);
    }
  }

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
  public record Asked(int minMembers, boolean strict) {
    /** The least number of members of an epoch. */
    int least() {
      return strict ? Lanes.COUNT : minMembers;
    }
  }

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
    this.asks = asked;
    this.minMembers = asked.least();
    this.times = times;
    this.absent = new AbsentHolders(rules, times);
    this.troubled = troubled;
    this.moves = new MoveBackOff(times.join());
  }

  private ReplicaPlaces places(RrsRecord rrs, ClusterView cluster) {
    return new ReplicaPlaces(rrs, cluster, rules, newest + 1);
  }

  /**
   * The record of the first epoch. The members are the servers that should have the region's, or
   * others for those whose DataNodes do not take new replicas. M0's place goes round with them.
   * Empty while they are not three.
   */
  private Optional<Step> first(ClusterView cluster) {
    ReplicaPlaces places = places(null, cluster);
    List<String> placed =
        cluster.placement().stream().distinct().filter(cluster.running()::containsKey).toList();
    List<Member> members = new ArrayList<>();
    new Spares(cluster, places, troubled)
        .of(placed, members)
        .takeWhile(m -> members.size() < Lanes.COUNT)
        .forEach(m -> places.joining(m.node(), members).ifPresent(members::add));
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
    moves.look(rrs, cluster);
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
    if (opened.isWithin(rrs.epoch(), times.join(), cluster)) {
      return Optional.empty();
    }
    return switch (rrs.state()) {
      case SERVING -> complete(rrs, known, cluster);
      case FULL -> makeRoom(rrs, known, cluster);
      case OPENING, BROKEN -> Optional.empty();
    };
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
    List<String> back = absent.back(rrs, places(rrs, cluster), cluster);
    if (back.isEmpty()) {
      return Optional.empty();
    }
    Optional<Step> next =
        openNext(rrs, known, new Why(Cause.UNPROVEN, back + " are there again"), cluster)
            .filter(step -> step.record().state() == State.OPENING)
            .filter(step -> takesBack(step.record().link(), back));
    next.ifPresent(step -> absent.tookBack(back));
    return next;
  }

  private static boolean takesBack(EpochLink link, List<String> back) {
    return link.members().stream().anyMatch(m -> link.isHolder(m) && back.contains(m.node()));
  }

  /**
   * An epoch that ended because of HDFS' trouble has nobody to blame, and neither has one that did
   * not come about because a replica could not move. What was proved still counts.
   */
  private RrsRecord withoutBlame(RrsRecord rrs) {
    boolean isGuess = rrs.cause() == Cause.STALLED || rrs.cause() == Cause.FAILED;
    boolean isHindered =
        rrs.epoch() == hindered || !rrs.hasServed() && rrs.link().moves(rrs.suspect());
    return isHindered && rrs.state() == State.BROKEN && isGuess
        ? rrs.broken(Cause.FAILED, "", rrs.note())
        : rrs;
  }

  /**
   * Has a server join if members are missing, or in the place of one that leaves. A server whose
   * DataNode is full would end what serves. If no server with a DataNode of its own can join, a
   * replica moves: the member is its own spare.
   */
  private Optional<Step> complete(RrsRecord rrs, EpochRegister known, ClusterView cluster) {
    ReplicaPlaces places = places(rrs, cluster);
    Leaving leaving = new Leaving(cluster, places);
    List<String> stay = leaving.staying(rrs.nodes());
    if (stay.size() == Lanes.COUNT) {
      return note(rrs, KeeperWords.cause(rrs.note()));
    }
    if (leaving.allRetire(rrs.nodes())) { // a holder must go on
      return note(rrs, KeeperWords.serving(rrs, leaving, places));
    }
    Optional<Step> moved = move(rrs, known, places, true, cluster);
    if (moved.isPresent()) {
      return moved;
    }
    boolean isFew = rrs.members().size() < Lanes.COUNT; // then nobody is put out
    List<Member> members = isFew ? rrs.members() : stay.stream().map(places::now).toList();
    boolean isUrgent = isFew || rrs.nodes().stream().anyMatch(leaving::isLeft);
    Supplier<Stream<Member>> spares =
        () ->
            new Spares(cluster, places, troubled)
                .of(rrs, members, Suspicions.NONE)
                .filter(m -> !rrs.nodes().contains(m.node()) && !cluster.dataNode(m).isLeft());
    Optional<Member> spare =
        spares.get().filter(m -> places.isFit(m) && (isUrgent || places.isRoomy(m))).findFirst();
    if (spare.isPresent()) {
      return join(rrs, known, spare.get(), stay, cluster);
    }
    moved = move(rrs, known, places, false, cluster);
    if (moved.isPresent()) {
      return moved;
    }
    Optional<Member> away =
        isFew ? spares.get().filter(places::isAway).findFirst() : Optional.empty();
    return away.isPresent()
        ? join(rrs, known, away.get(), stay, cluster)
        : note(rrs, KeeperWords.serving(rrs, leaving, places));
  }

  /** Goes on with DataNodes that have room, if there are enough. */
  private Optional<Step> makeRoom(RrsRecord rrs, EpochRegister known, ClusterView cluster) {
    ReplicaPlaces places = places(rrs, cluster);
    Leaving leaving = new Leaving(cluster, places);
    String words = leaving.words(rrs.nodes());
    if (words.isEmpty() || leaving.allRetire(rrs.nodes())) {
      return Optional.empty();
    }
    return openNext(rrs, known, new Why(Cause.RETIRED, words), cluster)
        .filter(step -> step.record().epoch() > rrs.epoch())
        .filter(step -> step.record().members().stream().allMatch(places::isRoomy))
        .or(() -> move(rrs, known, places, false, cluster));
  }

  /**
   * Opens an epoch in which a member's replica is on another DataNode. Another holder goes on where
   * it is, and the members make the replica anew, as a joiner's. Until that epoch serves, the data
   * is where it was.
   *
   * @param home whether only a replica that comes home moves
   */
  private Optional<Step> move(
      RrsRecord rrs, EpochRegister known, ReplicaPlaces places, boolean home, ClusterView cluster) {
    return rrs.members().stream()
        .filter(m -> rrs.members().size() > 1 && moves.mayMove(cluster))
        .filter(m -> !troubled.has(m.node(), cluster.nanos()))
        .flatMap(m -> places.better(m, rrs.members()).stream())
        .filter(m -> !home || !places.isAway(m))
        .flatMap(m -> moving(rrs, known, places.now(m.node()), m, cluster).stream())
        .findFirst();
  }

  private Optional<Step> moving(
      RrsRecord rrs, EpochRegister known, Member from, Member to, ClusterView cluster) {
    String words =
        "the replica of " + to.node() + " moves from " + from.dataNode() + " to " + to.dataNode();
    return openNext(rrs, known, new Why(Cause.MOVED, words, to.node()), cluster)
        .filter(step -> step.record().members().contains(to))
        .filter(step -> step.record().nodes().size() > 1);
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

  /** Joiners are suspected first, because holders have served. Nobody is if a replica moves. */
  private Step giveUpOpening(RrsRecord rrs) {
    String note =
        "epoch "
            + rrs.epoch()
            + " did not open in "
            + (times.opening() << inVain(rrs)) / SECOND
            + " s";
    if (rrs.link().moves()) {
      return new Step(rrs.broken(Cause.FAILED, "", note), note + ", and no replica moves now");
    }
    MemberChoice choice = new MemberChoice(rrs.suspicions());
    List<String> joiners =
        rrs.members().stream().filter(m -> !rrs.link().isHolder(m)).map(Member::node).toList();
    String guess = choice.guess(joiners.isEmpty() ? rrs.nodes() : joiners);
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
                spare.node()
                    + " joins, because "
                    + new Leaving(cluster, places(rrs, cluster)).words(rrs.nodes()));
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
    ReplicaPlaces places = places(rrs, cluster);
    List<String> having =
        rrs.holders().stream()
            .filter(n -> running.containsKey(n) && cluster.hasDataNode(places.now(n)))
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
    boolean isMove = why.moving != null;
    Leaving leaving = new Leaving(cluster, places);
    List<String> able =
        leaving.able(having, joins).stream().filter(n -> !n.equals(why.moving)).toList();
    List<Member> stay = able.stream().map(places::now).toList();
    MemberChoice choice = new MemberChoice(rrs.suspicions());
    choice.ended(rrs.epoch(), rrs.served(), rrs.nodes(), why.cause, rrs.suspect());
    boolean isNew = !choice.suspicions().equals(rrs.suspicions());
    if (!choice.suspect().isEmpty() && isNew && !isAway(choice.suspect(), rrs, places)) {
      troubled.add(choice.suspect(), cluster.nanos());
    }
    Supplier<Stream<String>> spares =
        isMove
            ? () -> Stream.of(why.moving)
            : () ->
                new Spares(cluster, places, troubled)
                    .of(rrs, stay, choice.suspicions())
                    .filter(m -> !joins || !cluster.dataNode(m).isLeft())
                    .map(Member::node);
    boolean rebuilds = having.isEmpty() && mayRebuild(rrs, known, places, cluster);
    int more = rebuilds ? Lanes.COUNT : Math.min(Lanes.COUNT, able.size() + 1);
    int most = joins || isMove || rebuilds ? Math.max(minMembers, more) : minMembers;
    List<Member> members = places.of(choice.members(able, spares, most, minMembers), able);
    List<String> nodes = members.stream().map(Member::node).toList();
    if (able.isEmpty() && !rebuilds
        || nodes.size() < minMembers
        || able.size() < having.size() && !mayGoOnWithout(choice, able, nodes)) {
      String wanted = KeeperWords.whatFor(rrs, having, able, nodes, leaving, asks, times);
      return await(rrs, why, choice.suspicions(), wanted);
    }
    EpochLink link = link(rrs, known, members, rebuilds, cluster);
    if (!rules.areEnough(nodes.size(), AbsentHolders.mayWait(link))) {
      members = places.of(choice.members(able, spares, 2, 2), able);
      if (members.size() == 1) {
        return await(rrs, why, choice.suspicions(), KeeperWords.company(nodes, rrs, times));
      }
      link = link(rrs, known, members, rebuilds, cluster);
    }
    RrsRecord next =
        rrs.next(link, why.cause, KeeperWords.cause(why.text), cluster.millis())
            .suspecting(choice.suspicions());
    return Optional.of(
        new Step(next, "epoch " + next.epoch() + " on " + next.nodes() + ", for " + next.note()));
  }

  private EpochLink link(
      RrsRecord rrs,
      EpochRegister known,
      List<Member> members,
      boolean rebuilds,
      ClusterView cluster) {
    int number = newest + 1;
    if (known.served() == null) {
      return EpochLink.first(region, number, members, rebuilds ? members : rrs.holding(), signer);
    }
    EpochLink bare = known.served().next(number, members, signer);
    return bare.succession().isWhole()
        ? bare
        : known.served().next(number, members, absent.waiver(rrs, cluster), signer);
  }

  /**
   * Whether others may build a region of which no holder has run for a while. If it has never
   * served, there is nothing to read. Otherwise one of the holders' DataNodes must be alive,
   * perhaps under another address.
   */
  private boolean mayRebuild(
      RrsRecord rrs, EpochRegister known, ReplicaPlaces places, ClusterView cluster) {
    alone = alone.of(rrs.served(), cluster);
    return !alone.isWithin(rrs.served(), times.rebuild(), cluster)
        && (known.served() == null
            || rrs.holding().stream()
                .anyMatch(m -> cluster.hasDataNode(m) || places.hasOtherDataNode(m)));
  }

  /** The server of a member whose replica is on another machine may not be what failed. */
  private static boolean isAway(String node, RrsRecord rrs, ReplicaPlaces places) {
    return rrs.members().stream().anyMatch(m -> m.node().equals(node) && places.isAway(m));
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

  private Optional<Step> await(RrsRecord rrs, Why why, Suspicions learned, String wanted) {
    String note = KeeperWords.cause(why.text) + KeeperWords.WAITS + wanted;
    return rrs.state() == State.BROKEN && rrs.note().equals(note)
        ? Optional.empty()
        : Optional.of(new Step(rrs.broken(why.cause, "", note).suspecting(learned), note));
  }
}
