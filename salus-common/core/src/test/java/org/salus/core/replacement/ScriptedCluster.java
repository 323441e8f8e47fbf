package org.salus.core.replacement;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.salus.core.Reason;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogBefore;
import org.salus.core.replacement.RegionKeeper.Step;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;

/** What the keeper of a region sees of a cluster, as the test wants it, and the keeper. */
final class ScriptedCluster implements ClusterView {
  static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);
  static final RegionId REGION = new RegionId(7, 0);
  static final Signer SIGNER = new Signer(new byte[] {1});

  RegionKeeper keeper = keeper(2);
  final TreeMap<String, Member> running = new TreeMap<>();
  final Set<String> withoutDataNode = new HashSet<>();
  final Map<String, DataNodeState> states = new TreeMap<>();
  Optional<Reason> trouble = Optional.empty();
  final Set<String> awaited = new HashSet<>();
  List<String> placement = new ArrayList<>();
  List<String> dataNodes = List.of();
  EpochRegister register = EpochRegister.NONE;
  long nanos;
  boolean hasUser;

  ScriptedCluster(String... nodes) {
    for (String n : nodes) {
      running.put(n, new Member(n, 1, n + ":dn"));
    }
  }

  void pass(long more) {
    nanos += more;
  }

  /** The NameNode hears of an epoch when it opens, and when it serves. */
  void follow(RrsRecord now) {
    EpochLink link = now.link();
    if (now.hasServed()) {
      register = new EpochRegister(link, link, LogBefore.NONE);
    } else if (register.newest() == null || register.newest().epoch() < link.epoch()) {
      register = new EpochRegister(register.served(), link, LogBefore.NONE);
    }
  }

  @Override
  public EpochRegister register() {
    return register;
  }

  @Override
  public Map<String, Member> running() {
    return running;
  }

  @Override
  public List<String> placement() {
    return placement;
  }

  @Override
  public List<String> dataNodes() {
    return dataNodes;
  }

  @Override
  public Set<String> drainedDataNodes() {
    return states.entrySet().stream()
        .filter(s -> s.getValue() == DataNodeState.DRAINED)
        .map(s -> s.getKey() + ":dn")
        .collect(Collectors.toSet());
  }

  @Override
  public boolean hasDataNode(Member server) {
    return !withoutDataNode.contains(name(server));
  }

  /** A DataNode beside a server goes by the server's name, and any other by its own. */
  private static String name(Member server) {
    return server.dataNode().replace(":dn", "");
  }

  @Override
  public Optional<Reason> trouble() {
    return trouble;
  }

  @Override
  public boolean hasUser() {
    return hasUser;
  }

  @Override
  public DataNodeState dataNode(Member server) {
    return states.getOrDefault(name(server), DataNodeState.IN_SERVICE);
  }

  @Override
  public boolean isPatienceOver(String node, boolean restarted) {
    return !awaited.contains(node);
  }

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public long millis() {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  static RegionKeeper keeper(int minMembers) {
    return keeper(minMembers, false);
  }

  static RegionKeeper keeper(int minMembers, boolean strict) {
    return new RegionKeeper(
        REGION,
        SIGNER,
        EpochRules.PAPER,
        KeeperRules.PAPER,
        new RegionKeeper.Asked(minMembers, strict),
        KeeperTimes.USUAL,
        new Troubled());
  }

  /** The record of an epoch that serves with these members. */
  RrsRecord serving(String... nodes) {
    List<Member> members = List.of(nodes).stream().map(running::get).toList();
    EpochLink link = EpochLink.first(REGION, 5, members, members, SIGNER);
    return new RrsRecord(link, State.OPENING, "").serving();
  }

  /** The keeper's next step, with a NameNode that knows what the record says. */
  RrsRecord next(RrsRecord now) {
    follow(now);
    return look(now);
  }

  /** The keeper's next step. */
  RrsRecord look(RrsRecord found) {
    return keeper.next(found, this).map(Step::record).orElse(null);
  }
}
