package org.salus.sim.fault.disk;

import java.util.List;
import java.util.function.Supplier;
import org.salus.sim.fault.SimFault;

/** The faults of disks. */
public final class DiskFaults {
  /** The kinds, each as often as its weight in a draw. */
  public static final List<Supplier<SimFault>> KINDS =
      List.of(
          BitRot::new,
          ZeroedRange::new,
          LostTail::new,
          OthersLoseTails::new,
          StaleReplica::new,
          MisdirectedWrite::new,
          DamagedCheckpoint::new,
          BrokenDisk::new,
          FullDisks::new);

  private DiskFaults() {}
}
