package org.salus.sim.fault.process;

import java.util.List;
import java.util.function.Supplier;
import org.salus.sim.fault.SimFault;

/** The faults of processes: servers, clients, the master and their clocks. */
public final class ProcessFaults {
  /** The kinds, each as often as its weight in a draw. */
  public static final List<Supplier<SimFault>> KINDS =
      List.of(
          ClientCrash::new,
          ClientTakeover::new,
          WriterLeaseLoss::new,
          WriterCutOff::new,
          AnotherProcess::new,
          FightingClients::new,
          ServerCrash::new,
          ServerCrash::new,
          UnheardCrash::new,
          ServerPause::new,
          ServerLeaseLoss::new,
          AllServersCrash::new,
          EverythingCrashes::new,
          PowerCut::new,
          ServersLosePower::new,
          ServersLost::new,
          MasterLoss::new,
          ClockJump::new,
          OperatorReplaces::new,
          NodeRetires::new,
          ReplicaElsewhere::new,
          NameNodeRestart::new,
          NameNodeAway::new,
          LateReports::new,
          FilesStayOpen::new,
          SlowDataNodes::new);

  private ProcessFaults() {}
}
