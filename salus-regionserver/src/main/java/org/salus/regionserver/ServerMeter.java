package org.salus.regionserver;

import java.util.function.LongSupplier;
import org.salus.host.metrics.Labels;
import org.salus.host.metrics.Metrics;
import org.salus.host.netty.FrameStats;
import org.salus.host.netty.Loop;
import org.salus.host.netty.Loops;
import org.salus.regionserver.scrub.ScrubStatusMXBean;

/** Shows what the parts of a server count that all its volumes share. */
final class ServerMeter implements AutoCloseable {
  private final Metrics.Group group;

  ServerMeter(Metrics metrics, Loops loops, Inbox inbox, ScrubStatusMXBean scrub) {
    group = metrics.group();
    group.clock();
    frames(loops.stats());
    for (int i = 0; i < loops.count(); i++) {
      Loop loop = loops.loop(i);
      group.gauge(
          "salus_loop_waiting_tasks",
          "Tasks that wait for a loop, about",
          Labels.of("loop", Integer.toString(i)),
          loop::waitingTasks);
    }
    group.gauge(
        "salus_inbox_connections",
        "Open connections that have brought messages",
        Labels.NONE,
        inbox::connections);
    group.gauge(
        "salus_inbox_sessions",
        "Sessions whose answers have a connection",
        Labels.NONE,
        inbox::sessions);
    group.gauge(
        "salus_inbox_held_bytes",
        "Bytes of messages that members have not taken yet",
        Labels.NONE,
        inbox::heldBytes);
    scrub(scrub);
  }

  private void frames(FrameStats stats) {
    counter("salus_frames_sent_total", "Frames sent, without heartbeats", stats::sent);
    counter("salus_frames_received_total", "Frames received whole", stats::received);
    counter(
        "salus_frames_dropped_total",
        "Messages dropped because a node could not be reached or its queue was full",
        stats::dropped);
    closed("damaged", stats::damaged);
    closed("wrong_length", stats::wrongLength);
    closed("silent", stats::silent);
    closed("refused", stats::refused);
  }

  private void closed(String why, LongSupplier value) {
    group.counter(
        "salus_connections_closed_total",
        "Connections closed by this server for a fault of the peer",
        Labels.of("reason", why),
        value);
  }

  private void scrub(ScrubStatusMXBean s) {
    group.gauge(
        "salus_scrub_running",
        "1 while a pass of the scrub is under way",
        Labels.NONE,
        () -> s.isRunning() ? 1 : 0);
    group.gauge(
        "salus_scrub_urgent_files",
        "Files that wait to be checked at once",
        Labels.NONE,
        s::getUrgent);
    group.gauge(
        "salus_scrub_unrepaired_replicas",
        "Bad replicas that are neither repaired nor gone",
        Labels.NONE,
        s::getUnrepairedReplicas);
    scrubbed(s, "salus_scrub_passes_total", "Finished passes of the scrub", s::getPasses);
    scrubbed(s, "salus_scrub_checked_bytes_total", "Bytes checked in all passes", s::getBytes);
    scrubbed(s, "salus_scrub_bad_replicas_total", "Bad replicas found", s::getBadReplicas);
    scrubbed(
        s,
        "salus_scrub_repaired_replicas_total",
        "Bad replicas replaced by good ones",
        s::getRepairedReplicas);
  }

  /** The record is in ZooKeeper, and a counter must not begin at 0 and jump when it is read. */
  private void scrubbed(ScrubStatusMXBean s, String name, String help, LongSupplier value) {
    group.keptCounter(name, help, Labels.NONE, () -> s.isKnown() ? value.getAsLong() : Double.NaN);
  }

  private void counter(String name, String help, LongSupplier value) {
    group.counter(name, help, Labels.NONE, value);
  }

  @Override
  public void close() {
    group.close();
  }
}
