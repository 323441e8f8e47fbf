package org.salus.dist.system;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/** Disks that a test breaks, and a cluster of processes on them. For one thread. */
final class ClusterOnDisks implements AutoCloseable {
  private final List<VolatileDisk> disks = new ArrayList<>();
  private LocalCluster cluster;

  /** Same as {@link VolatileDisk#make}. The disk may be mounted below one that was added before. */
  VolatileDisk add(Path dir, Path root, long size) throws Exception {
    VolatileDisk disk = VolatileDisk.make(dir, root, size);
    disks.add(disk);
    return disk;
  }

  /** The disks as they were added. */
  List<VolatileDisk> disks() {
    return disks;
  }

  /** The disks, those that may be below others first. */
  List<VolatileDisk> newestFirst() {
    List<VolatileDisk> reversed = new ArrayList<>(disks);
    Collections.reverse(reversed);
    return reversed;
  }

  /** The cluster of a directory on them; it is not started. */
  LocalCluster make(Path root) {
    cluster = new LocalCluster(root);
    return cluster;
  }

  /** Kills every process of the cluster at once, and returns when they are gone. */
  void killAll() throws IOException {
    List<ProcessHandle> all = new ArrayList<>();
    for (DaemonProcess d : cluster.daemons()) {
      d.process().ifPresent(all::add);
    }
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(p -> p.onExit().join());
  }

  @Override
  public void close() throws Exception {
    try {
      if (cluster != null) {
        killAll();
      }
    } finally {
      for (VolatileDisk d : newestFirst()) {
        d.close();
      }
    }
  }
}
