package org.salus.sim;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.salus.core.RegionId;
import org.salus.core.effect.SessionError;
import org.salus.core.log.Permission.Deed;
import org.salus.core.replacement.DataNodeState;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.WrittenManifest;
import org.salus.sim.fault.Budget;
import org.salus.sim.fault.Levers;
import org.salus.sim.parts.MemberMaker;
import org.salus.sim.store.SimCheckpoint;

/** The levers of a simulation. */
final class SimLevers implements Levers {
  /** How often is looked whether a client is idle. */
  private static final long IDLE = 2 * Clock.MILLI;

  /** How far a stamp that is made up is ahead of those that are given out. */
  private static final long FAR_AHEAD = 1 << 30;

  private final Simulation sim;
  private final List<SimNode> nodes;
  private final SimNetwork network;
  private final Random random;
  private final Budget budget;

  /** The clients that are cut off together with a node. */
  private final Map<String, SimClient> cutOff = new TreeMap<>();

  SimLevers(
      Simulation sim, List<SimNode> nodes, SimNetwork network, boolean beyond, Random random) {
    this.sim = sim;
    this.nodes = nodes;
    this.network = network;
    this.random = random;
    this.budget = new Budget(this, beyond);
  }

  private SimNode node(String name) {
    return nodes.stream().filter(n -> n.name.equals(name)).findFirst().orElseThrow();
  }

  @Override
  public Budget budget() {
    return budget;
  }

  @Override
  public List<String> nodes() {
    return nodes.stream().map(n -> n.name).toList();
  }

  @Override
  public List<List<Holder>> pairs() {
    List<List<Holder>> all = new ArrayList<>();
    for (int r = 0; r < sim.spec.regionCount(); r++) {
      all.add(
          sim.master().holders(r).stream().map(m -> new Holder(m.node(), m.dataNode())).toList());
    }
    return all;
  }

  @Override
  public boolean haveServed() {
    return IntStream.range(0, sim.spec.regionCount()).allMatch(sim.master()::hasServed);
  }

  @Override
  public boolean hasDataNode(String node) {
    SimNode n = node(node);
    return n.up && sim.now() >= n.pausedUntil;
  }

  @Override
  public boolean isRetiring(String node) {
    return node(node).dataNode.isRetiring();
  }

  @Override
  public boolean isWhole() {
    for (int r = 0; r < sim.spec.regionCount(); r++) {
      if (!sim.master().isWhole(r)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void trace(String line) {
    sim.trace(line);
  }

  @Override
  public void after(long nanos, Runnable what) {
    sim.clock.after(nanos, what);
  }

  // ---- servers ----

  @Override
  public boolean isUp(String node) {
    SimNode n = node(node);
    return n.up && !n.serverAway && sim.now() >= n.pausedUntil;
  }

  @Override
  public void crash(String name) {
    SimNode node = node(name);
    node.crash();
    node.up = false;
    sim.clock.after(Clock.MILLI * (10 + random.nextInt(500)), () -> sim.master().found());
  }

  @Override
  public void bringBack(String name) {
    SimNode node = node(name);
    if ((!node.up || node.serverAway) && !node.cutOff) {
      sim.trace(name + " is back" + (node.lost ? " without its region server" : ""));
      node.up = true;
      node.serverAway = node.lost;
      sim.clock.after(sim.smallDelay(), sim.master()::found);
    }
  }

  @Override
  public void crashAll() {
    nodes.forEach(SimNode::crash);
    sim.master().found();
    sim.disksChanged();
  }

  /** Cuts the power of the clients and of all servers, or of all but one. */
  @Override
  public void cutPower() {
    List<SimNode> hit = new ArrayList<>(nodes);
    Collections.shuffle(hit, random);
    hit.subList(0, random.nextInt(2)).clear();
    cutPower(hit);
  }

  @Override
  public void cutPowerOfServers() {
    sim.clients().crashBefore();
    takePower(nodes);
    if (sim.checks.powerCuts() % 2 == 0) { // else ZooKeeper is back in time
      sim.clients().loseLease();
    }
  }

  void cutPowerEverywhere() {
    cutPower(nodes);
  }

  private void cutPower(List<SimNode> hit) {
    sim.clients().crash();
    takePower(hit);
    sim.clients().powerIsBack();
  }

  private void takePower(List<SimNode> hit) {
    sim.trace("fault: power cut of " + hit.stream().map(n -> n.name).toList());
    BitSet losing =
        BitSet.valueOf(new long[] {random.nextLong()}); // the regions that lose what is unsynced
    hit.forEach(
        n -> {
          n.crash();
          n.disks.forEach((region, disk) -> disk.powerCut(losing.get(region.index()), random));
        });
    sim.checks.powerCut();
    sim.master().found();
    sim.disksChanged();
  }

  @Override
  public void pause(String name, long nanos) {
    SimNode node = node(name);
    long back = sim.now() + nanos;
    node.pausedUntil = back;
    sim.clock.after(
        Clock.MILLI * (10 + random.nextInt(500)),
        () -> {
          if (sim.now() < back) {
            node.up = false;
            sim.master().found();
          }
        });
    sim.clock.at(
        back + sim.smallDelay() * 10,
        () -> {
          node.catchUp();
          bringBack(name);
        });
  }

  @Override
  public void endServer(String name, boolean forGood) {
    SimNode node = node(name);
    node.endServer();
    node.serverAway = true;
    node.lost = forGood;
    sim.clock.after(Clock.MILLI * (10 + random.nextInt(500)), () -> sim.master().found());
  }

  @Override
  public void hideServer(String name, long nanos) {
    SimNode node = node(name);
    node.serverAway = true;
    node.hidden = true;
    sim.clock.after(sim.smallDelay(), sim.master()::found);
    sim.clock.after(
        nanos,
        () -> {
          node.hidden = false;
          node.catchUp();
          bringBack(name);
        });
  }

  @Override
  public void jumpClock(String name, long nanos) {
    if (name.equals(CLIENT)) {
      sim.clients().skew(nanos);
    } else {
      node(name).skew += nanos;
    }
  }

  @Override
  public void masterAway(boolean away) {
    sim.master().setAway(away);
  }

  @Override
  public void replaceMember(String node) {
    sim.master().replace(node);
  }

  @Override
  public void makeWrong(String name, MemberMaker how) {
    SimNode node = node(name);
    sim.checks.wrong(node, how != null);
    node.crash();
    node.wrong = how;
    sim.clock.after(sim.smallDelay(), () -> sim.master().found());
  }

  @Override
  public void askNameNode(
      RegionId region, Deed deed, long segment, long length, byte[] permission) {
    sim.clock.after(
        sim.smallDelay(), () -> sim.nameNode().change(region, deed, segment, length, permission));
  }

  @Override
  public void createSegment(
      String node, RegionId region, long segment, byte[] permission, byte[] replica) {
    sim.clock.after(
        sim.smallDelay(),
        () -> {
          SimMember by = node(node).members.get(region);
          if (by != null) {
            sim.nameNode().create(by, segment, permission, replica);
          }
        });
  }

  // ---- HDFS ----

  @Override
  public void forgeRecord(String node, RegionId region) {
    sim.clock.after(sim.smallDelay(), () -> sim.master().forge(node, region.index()));
  }

  @Override
  public void tellNameNode(RegionId region, byte[] word) {
    sim.clock.after(sim.smallDelay(), () -> sim.nameNode().take(region, word));
  }

  @Override
  public void repeatEpoch(RegionId region) {
    tellNameNode(region, EpochRegister.opens(sim.master().anyEpoch(region.index())));
  }

  @Override
  public void raiseStamps(String by, RegionId region, boolean invented) {
    long stamp = sim.nameNode().nextStamp() + (invented ? FAR_AHEAD : 0);
    for (SimNode n : nodes) {
      if (!n.name.equals(by)) {
        List.copyOf(n.disk(region).segments.keySet())
            .forEach(
                segment ->
                    sim.clock.after(
                        sim.smallDelay(), () -> sim.nameNode().raise(n, region, segment, stamp)));
      }
    }
  }

  @Override
  public void count(String by, RegionId region, WrittenManifest proof) {
    sim.counting().count(node(by).members.get(region), proof);
  }

  @Override
  public void miscount(String by, RegionId region, boolean alone, WrittenManifest proof) {
    sim.counting().miscount(node(by), region, alone, proof);
  }

  @Override
  public void restartNameNode() {
    sim.nameNode().restart(random);
  }

  @Override
  public void reportStamps(boolean on) {
    sim.nameNode().setHearsStamps(on);
  }

  @Override
  public void finishFiles(boolean on) {
    sim.nameNode().setFinishesFiles(on);
  }

  @Override
  public void nameNodeAway(boolean away) {
    sim.nameNode().setAway(away);
  }

  @Override
  public void slowDataNode(String node, boolean on) {
    node(node).slow = on;
    node(node).forgetFloors();
  }

  // ---- network ----

  @Override
  public void block(String from, String to, boolean on) {
    network.block(from, to, on);
  }

  @Override
  public void replay(String node, boolean on) {
    network.replay(node, on);
  }

  @Override
  public void alter(int perMille) {
    network.alter(perMille);
  }

  // ---- disks ----

  @Override
  public List<LogReplica> logReplicas(String name) {
    List<LogReplica> all = new ArrayList<>();
    node(name).disks.values().forEach(d -> all.addAll(d.segments.values()));
    return all;
  }

  private List<SimCheckpoint> checkpoints(String name) {
    List<SimCheckpoint> all = new ArrayList<>();
    node(name).disks.values().forEach(d -> all.addAll(d.checkpoints.values()));
    return all;
  }

  @Override
  public int checkpointReplicas(String name) {
    return checkpoints(name).size();
  }

  @Override
  public void damageCheckpoint(String name, int which, Random random) {
    checkpoints(name).get(which).damage(random);
  }

  @Override
  public void breakDisk(String name, boolean on) {
    node(name).broken = on;
  }

  @Override
  public void takeOut(String node, DataNodeState state) {
    node(node).dataNode = state;
    sim.checks.roomChanged();
    if (state == DataNodeState.FULL) {
      sim.checks.excused(SessionError.NO_SPACE);
    }
    sim.clock.after(sim.smallDelay(), sim.master()::found);
  }

  @Override
  public void fillDisks(boolean on) {
    sim.nameNode().setFull(on);
    sim.checks.roomChanged();
    if (on) {
      sim.checks.excused(SessionError.NO_SPACE);
    }
  }

  // ---- clients ----

  @Override
  public void crashClients() {
    sim.clients().crash();
  }

  @Override
  public void mount() {
    sim.clients().mount();
  }

  @Override
  public void mountWhenFree() {
    sim.clients().mountWhenFree();
  }

  @Override
  public void nextProcess(boolean ends) {
    if (sim.isChaos()) {
      sim.clients().nextProcess(ends);
    }
  }

  @Override
  public void endAfterClaims(boolean on) {
    sim.clients().setRestarting(on);
  }

  @Override
  public void whenWriterRests(BooleanSupplier then) {
    SimClient writer = sim.clients().writer();
    if (writer != null) {
      writer.rest(true);
      whenIdle(writer, then);
    }
  }

  private void whenIdle(SimClient writer, BooleanSupplier then) {
    if (!sim.isChaos() || writer != sim.clients().writer()) {
      writer.rest(false);
    } else if (writer.isIdle()) {
      writer.rest(then.getAsBoolean());
    } else {
      sim.clock.after(IDLE, () -> whenIdle(writer, then));
    }
  }

  @Override
  public void cutOffWriter(String name) {
    SimNode node = node(name);
    SimClient writer = sim.clients().writer();
    node.cutOff = true;
    writer.cutOff(node.members);
    cutOff.put(name, writer);
    sim.workload().race(writer);
    block(node, writer.machine(), true);
    sim.clock.after(Clock.MILLI * (10 + random.nextInt(50)), () -> isMissed(node));
    sim.clock.after(sim.clients().sessionTimeout(), writer::expire);
  }

  private void isMissed(SimNode node) {
    if (node.cutOff) {
      node.up = false;
      sim.master().found();
    }
  }

  private void block(SimNode node, String writer, boolean on) {
    for (SimNode other : nodes) {
      if (other != node) {
        for (String one : List.of(node.name, writer)) {
          network.block(one, other.name, on);
          network.block(other.name, one, on);
        }
      }
    }
    network.block(node.name, CLIENT, on);
    network.block(CLIENT, node.name, on);
  }

  @Override
  public void joinAgain(String name) {
    SimNode node = node(name);
    SimClient writer = cutOff.remove(name);
    block(node, writer.machine(), false);
    node.cutOff = false;
    node.catchUp();
    writer.rest(false);
    writer.joinAgain();
    bringBack(name);
  }

  @Override
  public void loseWriterLease() {
    sim.clients().loseLease();
  }
}
