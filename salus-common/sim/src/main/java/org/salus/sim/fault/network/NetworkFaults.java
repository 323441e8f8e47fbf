package org.salus.sim.fault.network;

import java.util.List;
import java.util.function.Supplier;
import org.salus.sim.fault.SimFault;

/** The faults of the network. */
public final class NetworkFaults {
  /** The kinds, each as often as its weight in a draw. */
  public static final List<Supplier<SimFault>> KINDS =
      List.of(Partition::new, OneWayPartition::new, AlteredMessages::new);

  private NetworkFaults() {}
}
