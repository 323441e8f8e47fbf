package org.salus.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.log.LogRules;
import org.salus.core.recovery.Floors;
import org.salus.core.replacement.DataNodeState;
import org.salus.core.scan.KnownLog;
import org.salus.sim.parts.MemberMaker;
import org.salus.sim.store.SimDisk;

/** A machine with a region server and its DataNode. The processes can die; the disk stays. */
final class SimNode {
  final String name;
  private final LogRules rules;
  final TreeMap<RegionId, SimDisk> disks = new TreeMap<>();
  final TreeMap<RegionId, SimMember> members = new TreeMap<>();
  private final List<SimMember> unaware = new ArrayList<>();

  /** The knowledge of the newest member of each region on this node. */
  private final TreeMap<RegionId, Known> known = new TreeMap<>();

  /** Whether its processes run, as far as others can tell. */
  boolean up = true;

  /** Whether its region server has ended or stands still, while its DataNode goes on. */
  boolean serverAway;

  /** Whether its region server goes on meanwhile, and clients reach it. */
  boolean hidden;

  /** Whether its region server never comes back. */
  boolean lost;

  /** The virtual time until which its processes stand still. What arrives meanwhile waits. */
  long pausedUntil;

  /** Whether reads and writes of its disk fail, as with EIO. */
  boolean broken;

  /** How an operator takes its DataNode out, or that it is full. */
  DataNodeState dataNode = DataNodeState.IN_SERVICE;

  /** Whether its DataNode is too slow to answer a recovery. */
  boolean slow;

  /** Whether it is cut off from everybody but one client, and so hears of nothing. */
  boolean cutOff;

  /** How far its clock is ahead, in nanoseconds. */
  long skew;

  /** Makes its members while they are wrong; null while they are right. */
  MemberMaker wrong;

  private boolean suspicious;

  private int starts;

  private int crashes;

  /** What its DataNode lets be done to its replicas. A new process knows nothing. */
  private Floors floors;

  private record Known(int epoch, KnownLog log) {}

  SimNode(String name, LogRules rules) {
    this.name = name;
    this.rules = rules;
    this.floors = new Floors(rules);
  }

  /** What its DataNode lets be done to its replicas. */
  Floors floors() {
    return floors;
  }

  /** The DataNode has started again. */
  void forgetFloors() {
    floors = new Floors(rules);
  }

  /** Whether its members do, or may do, what right ones do not. */
  boolean isWrong() {
    return wrong != null || suspicious;
  }

  /** Marks its members as possibly wrong: what they do proves no bug. */
  void setSuspicious() {
    suspicious = true;
  }

  SimDisk disk(RegionId r) {
    return disks.computeIfAbsent(r, k -> new SimDisk());
  }

  /**
   * The log that a member knows at the beginning of an epoch. A member that is or was wrong passes
   * nothing on to the next.
   */
  KnownLog known(RegionId region, int epoch) {
    Known last = known.remove(region);
    KnownLog log = last != null && last.epoch == epoch - 1 ? last.log : new KnownLog();
    if (!isWrong()) {
      known.put(region, new Known(epoch, log));
    }
    return log;
  }

  /** The number of times that its processes have started, which tells one process from the next. */
  int starts() {
    return starts;
  }

  /** Takes what this server has read while it got ready to join the epoch after this one. */
  void knows(RegionId region, int epoch, KnownLog log) {
    if (!isWrong()) {
      known.put(region, new Known(epoch, log));
    }
  }

  /** The number of times that its DataNode has died. */
  int crashes() {
    return crashes;
  }

  /** The processes die. New ones take their place later. */
  void crash() {
    crashes++;
    forgetFloors();
    endServer();
  }

  /** The region server ends. Its DataNode goes on. */
  void endServer() {
    starts++;
    known.clear();
    catchUp();
    members.values().forEach(SimMember::kill);
    members.clear();
  }

  /**
   * The region's epoch is over. A process that stands still, is cut off or hidden does not hear of
   * it.
   */
  void stop(RegionId region, long now) {
    SimMember host = members.remove(region);
    if (host != null && (cutOff || serverAway || now < pausedUntil)) {
      unaware.add(host);
    } else if (host != null) {
      host.kill();
    }
  }

  /**
   * While it is hidden, its member of an epoch of which it does not know that it is over; else
   * null.
   */
  SimMember unaware(Endpoint.Member d, int epoch) {
    if (!hidden) {
      return null;
    }
    for (SimMember host : unaware) {
      if (host.region.equals(d.region())
          && host.epoch == epoch
          && host.place == Lanes.member(d.lane(), host.members.size())) {
        return host;
      }
    }
    return null;
  }

  /** The process hears of a new epoch of the region in which it is a member. */
  void stopUnaware(RegionId region) {
    unaware.stream().filter(h -> h.region.equals(region)).forEach(SimMember::kill);
    unaware.removeIf(h -> h.region.equals(region));
  }

  /** The processes learn what happened while they stood still. */
  void catchUp() {
    unaware.forEach(SimMember::kill);
    unaware.clear();
  }

  /** Whether its DataNode answers a recovery in time. */
  boolean answers(long now) {
    return up && !broken && !slow && now >= pausedUntil;
  }
}
