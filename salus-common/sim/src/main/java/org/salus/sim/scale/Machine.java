package org.salus.sim.scale;

import java.util.concurrent.TimeUnit;
import org.salus.sim.Clock;

/** A machine's processors, disk and network, which everything on it shares. */
final class Machine {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Clock clock;
  private final Hardware hardware;
  private final Resource cpu;
  private final Resource disk = new Resource(1);
  private final Resource out = new Resource(1);
  private final Resource in = new Resource(1);

  Machine(Clock clock, Hardware hardware) {
    this.clock = clock;
    this.hardware = hardware;
    this.cpu = new Resource(hardware.cores());
  }

  /** Calls back when a processor has worked for this time. */
  void compute(long nanos, Runnable then) {
    clock.at(cpu.take(clock.now(), nanos), then);
  }

  /** Calls back when the disk has taken these bytes. Calls of one machine are served in order. */
  void store(long bytes, Runnable then) {
    clock.at(disk.take(clock.now(), nanos(bytes, hardware.diskRate())), then);
  }

  /** Calls back when the bytes have arrived. Parts on the same machine do not use its network. */
  void send(Machine to, long bytes, Runnable then) {
    if (to == this) {
      clock.after(hardware.latencyNanos(), then);
      return;
    }
    long nanos = nanos(bytes, hardware.networkRate());
    long sent = out.take(clock.now(), nanos) + hardware.latencyNanos();
    clock.at(
        Math.max(sent, to.in.take(sent - nanos, nanos)),
        then); // the first bytes are received while the rest is sent
  }

  private static long nanos(long bytes, double rate) {
    return Math.round(bytes / rate * NANOS);
  }
}
