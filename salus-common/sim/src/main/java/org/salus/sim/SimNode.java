package org.salus.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.salus.core.RegionId;
import org.salus.core.log.KnownLog;
import org.salus.sim.parts.MemberMaker;

/** A machine with a region server and its DataNode; the processes die, the disk stays. */
final class SimNode {
  final String name;
  final TreeMap<RegionId, SimDisk> disks = new TreeMap<>();
  final TreeMap<RegionId, SimMember> members = new TreeMap<>();
  private final List<SimMember> unaware = new ArrayList<>();

  /** What its member of the last epoch in which it had one knew. */
  private final TreeMap<RegionId, Known> known = new TreeMap<>();

  /** Whether its processes run, as far as anybody else can tell. */
  boolean up = true;

  /** Until when its processes stand still; what comes meanwhile waits. */
  long pausedUntil;

  /** Reads and writes of its disk fail, as with EIO. */
  boolean broken;

  /** How far its clock is ahead, in nanoseconds. */
  long skew;

  /** Makes its members while they are wrong, else null. */
  MemberMaker wrong;

  private boolean suspicious;

  private record Known(int epoch, KnownLog log) {}

  SimNode(String name) {
    this.name = name;
  }

  /** Whether its members do, or may do, what right ones do not. */
  boolean isWrong() {
    return wrong != null || suspicious;
  }

  /** Whatever its members do, it is no bug of theirs. */
  void setSuspicious() {
    suspicious = true;
  }

  SimDisk disk(RegionId r) {
    return disks.computeIfAbsent(r, k -> new SimDisk());
  }

  /**
   * What a member knows at the beginning of an epoch; one that is, or was, wrong leaves nothing to
   * the next.
   */
  KnownLog known(RegionId region, int epoch) {
    Known last = known.remove(region);
    KnownLog log = last != null && last.epoch == epoch - 1 ? last.log : new KnownLog();
    if (!isWrong()) {
      known.put(region, new Known(epoch, log));
    }
    return log;
  }

  /** The processes die; they come back as others. */
  void crash() {
    known.clear();
    catchUp();
    members.values().forEach(SimMember::kill);
    members.clear();
  }

  /** The region's epoch is over; a process that stands still does not hear of it. */
  void stop(RegionId region, long now) {
    SimMember host = members.remove(region);
    if (host != null && now < pausedUntil) {
      unaware.add(host);
    } else if (host != null) {
      host.kill();
    }
  }

  /** The process hears of a new epoch of the region in which it has a part. */
  void stopUnaware(RegionId region) {
    unaware.stream().filter(h -> h.region.equals(region)).forEach(SimMember::kill);
    unaware.removeIf(h -> h.region.equals(region));
  }

  /** Its processes have heard what happened while they stood still. */
  void catchUp() {
    unaware.forEach(SimMember::kill);
    unaware.clear();
  }
}
