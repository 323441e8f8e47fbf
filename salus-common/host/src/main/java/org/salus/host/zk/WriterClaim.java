package org.salus.host.zk;

import java.lang.management.ManagementFactory;

/**
 * This process wants to write a volume.
 *
 * @param holder what others are told of it
 * @param service what only one process at a time can be, or empty; it names the host
 * @param force whoever writes is put out
 */
public record WriterClaim(String holder, String service, boolean force) {

  /** This process' id. */
  long pid() {
    return ProcessHandle.current().pid();
  }

  /**
   * Whether the present writer has to go: by force, or because it was the same service in a process
   * that has ended.
   */
  boolean putsOut(WriterRecord present) {
    return force || !service.isEmpty() && service.equals(present.service()) && hasEnded(present);
  }

  /** In a container every process may have the same id: then the times tell. */
  private boolean hasEnded(WriterRecord present) {
    return present.pid() == pid()
        ? present.since() < ManagementFactory.getRuntimeMXBean().getStartTime()
        : ProcessHandle.of(present.pid()).filter(ProcessHandle::isAlive).isEmpty();
  }
}
