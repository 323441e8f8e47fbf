package org.salus.host.zk;

import java.lang.management.ManagementFactory;

/**
 * A request of this process to write a volume. Immutable.
 *
 * @param holder the text that describes this process to others
 * @param service the service's name, machine included, which one process at a time can have; or
 *     empty
 * @param force whether to end a present writer's lease
 */
public record WriterClaim(String holder, String service, boolean force) {

  /** This process' id. */
  long pid() {
    return ProcessHandle.current().pid();
  }

  /**
   * Whether the claim ends the present writer's lease: by force, or because that writer was the
   * same service in a process that has ended.
   */
  boolean putsOut(WriterRecord present) {
    return force || !service.isEmpty() && service.equals(present.service()) && hasEnded(present);
  }

  /**
   * Whether the present writer's process has ended. In containers both processes may have the same
   * id; then the start times decide.
   */
  private boolean hasEnded(WriterRecord present) {
    return present.pid() == pid()
        ? present.since() < ManagementFactory.getRuntimeMXBean().getStartTime()
        : ProcessHandle.of(present.pid()).filter(ProcessHandle::isAlive).isEmpty();
  }
}
