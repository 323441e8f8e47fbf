package org.salus.benchmarks.faults.hdfs;

import java.nio.file.Path;
import java.util.List;

/** A file of one block: where its DataNodes keep it, by their number. */
public record Replicas(String file, List<Path> blocks) {}
