package org.salus.sim;

import java.util.TreeMap;
import org.salus.core.RegionId;

/** A host with a region server and its DataNode; the processes die, the disk stays. */
final class SimNode {
  final String name;
  final TreeMap<RegionId, SimDisk> disks = new TreeMap<>();
  final TreeMap<RegionId, MemberHost> members = new TreeMap<>();
  /** Whether its processes run. */
  boolean up = true;

  SimNode(String name) {
    this.name = name;
  }

  SimDisk disk(RegionId r) {
    return disks.computeIfAbsent(r, k -> new SimDisk());
  }

  /** The processes die; they come back as others. */
  void crash() {
    members.values().forEach(MemberHost::kill);
    members.clear();
  }

  void stop(RegionId region) {
    MemberHost host = members.remove(region);
    if (host != null) {
      host.kill();
    }
  }
}
