package org.salus.sim.fault.network;

import java.util.List;
import java.util.function.Supplier;
import org.salus.sim.fault.SimFault;

/** The faults of the network. */
public final class NetworkFaults {
  /** Each kind as often as a plan is to draw it. */
  public static final List<Supplier<SimFault>> KINDS =
      List.of(Partition::new, OneWayPartition::new, AlteredMessages::new);

  private NetworkFaults() {}
}
