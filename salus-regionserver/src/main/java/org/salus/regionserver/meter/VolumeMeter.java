package org.salus.regionserver.meter;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.PageRequest;
import org.salus.core.message.Message.PutRequest;
import org.salus.host.metrics.Counter;
import org.salus.host.metrics.Labels;
import org.salus.host.metrics.Latency;
import org.salus.host.metrics.Metrics;
import org.salus.host.zk.WaitsRecord.Cause;

/** Counts and measures what one volume's members on this server do. Thread-safe, without locks. */
public final class VolumeMeter implements AutoCloseable {
  private final Metrics.Group group;
  private final Counter reads;
  private final Counter pages;
  private final Counter batches;
  private final Counter records;
  private final Counter readBytes;
  private final Counter batchBytes;
  private final Counter recordBytes;
  private final Counter failedReads;
  private final Counter appendedBytes;
  private final Map<Cause, Counter> slow = new EnumMap<>(Cause.class);
  private final Latency read;
  private final Latency written;
  private final Latency synced;
  private final Latency commit;

  public VolumeMeter(Metrics metrics, String volume) {
    Labels of = Labels.of("volume", volume);
    group = metrics.group();
    reads = requests(of, "read");
    pages = requests(of, "page");
    batches = requests(of, "batch");
    records = requests(of, "chain");
    readBytes = bytes(of, "read");
    batchBytes = bytes(of, "batch");
    recordBytes = bytes(of, "chain");
    failedReads =
        group.counter(
            "salus_member_failed_reads_total",
            "Reads that this server could not answer from its replicas",
            of);
    appendedBytes =
        group.counter(
            "salus_member_appended_bytes_total",
            "Bytes appended to this server's replicas of logs",
            of);
    for (Cause cause : Cause.values()) {
      slow.put(cause, slow(of.with("kind", RegionMeter.kind(cause))));
    }
    read =
        group.latency(
            "salus_member_read_seconds",
            "Time in which this server reads blocks from its replicas and answers",
            of);
    written = append(of, "written");
    synced = append(of, "synced");
    commit =
        group.latency(
            "salus_member_commit_seconds",
            "Time from a batch's arrival at M0 until its lane has committed it, of some batches",
            of);
  }

  private Counter requests(Labels of, String kind) {
    return group.counter(
        "salus_member_requests_total",
        "Messages that came to members on this server",
        of.with("kind", kind));
  }

  private Counter bytes(Labels of, String kind) {
    return group.counter(
        "salus_member_bytes_total",
        "Bytes of blocks that members on this server took in or read",
        of.with("kind", kind));
  }

  private Counter slow(Labels of) {
    return group.counter(
        "salus_member_slow_requests_total",
        "Requests that have waited more than a second at members on this server",
        of);
  }

  private Latency append(Labels of, String kind) {
    return group.latency(
        "salus_member_append_seconds",
        "Time until this server's DataNode has acknowledged an append to a log",
        of.with("kind", kind));
  }

  /** Takes note of a message to a member. The payload may be null. */
  public void came(Message m, ByteBuffer payload) {
    int bytes = payload == null ? 0 : payload.remaining();
    if (m instanceof GetRequest) {
      reads.increment();
    } else if (m instanceof PutRequest) {
      batches.increment();
      batchBytes.add(bytes);
    } else if (m instanceof Chain) {
      records.increment();
      recordBytes.add(bytes);
    } else if (m instanceof PageRequest) {
      pages.increment();
    }
  }

  /**
   * Takes note of an answered read.
   *
   * @param began when it began, of {@link System#nanoTime}
   * @param data the answer, or null if the read failed
   */
  public void read(long began, ByteBuffer data) {
    if (data == null) {
      failedReads.increment();
    } else {
      readBytes.add(data.remaining());
      read.since(began);
    }
  }

  /** Takes note of requests that have waited long by now. */
  void slow(Cause cause, int more) {
    slow.get(cause).add(more);
  }

  /** Takes note of an append that begins. */
  public void appends(List<ByteBuffer> bytes) {
    for (ByteBuffer b : bytes) {
      appendedBytes.add(b.remaining());
    }
  }

  /** Takes note of an append that the DataNode has acknowledged. */
  public void appended(long began, boolean sync) {
    (sync ? synced : written).since(began);
  }

  /** Takes note of a batch that is committed. */
  public void committed(long nanos) {
    commit.record(nanos);
  }

  @Override
  public void close() {
    group.close();
  }
}
