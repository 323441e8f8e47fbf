package org.salus.sim.explore.automaton;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.salus.core.Reason;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.ClusterView;
import org.salus.core.replacement.DataNodeState;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.EpochRules;
import org.salus.core.replacement.KeeperRules;
import org.salus.core.replacement.KeeperTimes;
import org.salus.core.replacement.RegionKeeper;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;
import org.salus.core.replacement.Troubled;

/** The {@link RegionKeeper}s of a volume's regions as an automaton. */
public final class KeeperAutomaton implements Automaton {

  /**
   * The keeper looks at a region. If it has a change to make, that is what follows.
   *
   * @param found the region's record, or null
   * @param running the servers that run, best first
   * @param stores the nodes whose DataNodes run
   */
  public record Look(
      int region,
      RrsRecord found,
      EpochRegister known,
      List<Member> running,
      List<String> stores,
      boolean hasUser) {}

  /** A region has its first epoch, which no keeper has chosen. */
  public record Opened(int region, int epoch) {}

  /** The time after an epoch's opening in which no server joins is over. */
  public record MayJoin() {}

  /**
   * Nobody waits between two epochs, until a server is ready or before a region is built from
   * DataNodes: each of these times may be over at any point. The others pass by ticks.
   */
  private static final KeeperTimes TIMES =
      new KeeperTimes(
          0,
          KeeperTimes.USUAL.opening(),
          KeeperTimes.USUAL.join(),
          0,
          0,
          KeeperTimes.USUAL.proof());

  /** The nanoseconds by which a tick advances the clock. */
  private static final long STEP = 1_000_000_000L;

  private static final long MILLI = 1_000_000L;

  private final VolumeSpec spec;
  private final Signer signer;
  private final EpochRules epochs;
  private final KeeperRules rules;
  private final List<Integer> minMembers;
  private final Troubled troubled = new Troubled();
  private final Map<Integer, RegionKeeper> keepers = new TreeMap<>();
  private long now;

  /**
   * @param minMembers the least number of members of an epoch of each region
   */
  public KeeperAutomaton(
      VolumeSpec spec,
      Signer signer,
      EpochRules epochs,
      KeeperRules rules,
      List<Integer> minMembers) {
    this.spec = spec;
    this.signer = signer;
    this.epochs = epochs;
    this.rules = rules;
    this.minMembers = minMembers;
  }

  @Override
  public List<Object> apply(Object event) {
    if (event instanceof Tick) {
      now += STEP;
      return List.of();
    } else if (event instanceof MayJoin) {
      now += TIMES.join();
      return List.of();
    } else if (event instanceof Opened first) {
      keeper(first.region).opened(first.epoch, now);
      return List.of();
    } else if (event instanceof Look look) {
      return look(look);
    }
    throw new IllegalStateException("no event of a keeper: " + event);
  }

  private RegionKeeper keeper(int region) {
    return keepers.computeIfAbsent(
        region,
        r ->
            new RegionKeeper(
                spec.regionId(r),
                signer,
                epochs,
                rules,
                new RegionKeeper.Asked(minMembers.get(r), spec.strict()),
                TIMES,
                troubled));
  }

  private List<Object> look(Look look) {
    RegionKeeper keeper = keeper(look.region);
    Optional<RegionKeeper.Step> step = keeper.next(look.found, new Seen(look, now));
    if (step.isEmpty()) {
      return List.of();
    }
    RrsRecord next = step.get().record();
    if (next.state() == State.OPENING) {
      keeper.opened(next.epoch(), now);
    }
    return List.of(step.get());
  }

  /** What a keeper sees of the cluster. */
  private record Seen(Look look, long nanos) implements ClusterView {
    @Override
    public EpochRegister register() {
      return look.known;
    }

    @Override
    public Map<String, Member> running() {
      Map<String, Member> running = new TreeMap<>();
      look.running.forEach(m -> running.put(m.node(), m));
      return running;
    }

    @Override
    public List<String> placement() {
      return look.running.stream().map(Member::node).toList();
    }

    @Override
    public List<String> dataNodes() {
      return List.of();
    }

    @Override
    public Set<String> drainedDataNodes() {
      return Set.of();
    }

    @Override
    public boolean hasDataNode(Member server) {
      return look.stores.contains(server.node());
    }

    @Override
    public Optional<Reason> trouble() {
      return Optional.empty();
    }

    @Override
    public boolean hasUser() {
      return look.hasUser;
    }

    @Override
    public DataNodeState dataNode(Member server) {
      return DataNodeState.IN_SERVICE;
    }

    /** Any time is enough for an absent server, so that nothing hangs on it. */
    @Override
    public boolean isPatienceOver(String node, boolean restarted) {
      return true;
    }

    @Override
    public long millis() {
      return nanos / MILLI;
    }
  }
}
