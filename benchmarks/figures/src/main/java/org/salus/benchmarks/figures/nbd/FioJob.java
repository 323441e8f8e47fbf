package org.salus.benchmarks.figures.nbd;

/** One run of fio. */
public enum FioJob {
  WRITE_1M("write-1m", "1 MiB sequential writes, depth 16", "write", 1 << 20, 16),
  READ_1M("read-1m", "1 MiB sequential reads, depth 16", "read", 1 << 20, 16),
  RANDOM_WRITE_4K("randwrite-4k", "4 KiB random writes, depth 64", "randwrite", 4 << 10, 64),
  RANDOM_READ_4K("randread-4k", "4 KiB random reads, depth 64", "randread", 4 << 10, 64),
  WRITE_4K("write-4k", "4 KiB sequential writes, depth 64", "write", 4 << 10, 64),
  READ_4K("read-4k", "4 KiB sequential reads, depth 64", "read", 4 << 10, 64),
  WRITE_LATENCY("latency-write-4k", "4 KiB random writes, depth 1", "randwrite", 4 << 10, 1),
  READ_LATENCY("latency-read-4k", "4 KiB random reads, depth 1", "randread", 4 << 10, 1);

  private final String id;
  private final String label;
  private final String pattern;
  private final int bytes;
  private final int depth;

  FioJob(String id, String label, String pattern, int bytes, int depth) {
    this.id = id;
    this.label = label;
    this.pattern = pattern;
    this.bytes = bytes;
    this.depth = depth;
  }

  /** The name for programs. */
  public String id() {
    return id;
  }

  /** The name for people. */
  public String label() {
    return label;
  }

  /** The order of requests, as fio names it. */
  String pattern() {
    return pattern;
  }

  /** The bytes of a request. */
  int bytes() {
    return bytes;
  }

  /** The number of outstanding requests. */
  int depth() {
    return depth;
  }

  boolean reads() {
    return pattern.endsWith("read");
  }
}
