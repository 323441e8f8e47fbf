package org.salus.dist;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.salus.dist.hbase.EmbeddedCluster;

/** What serves volumes on a started cluster, in the same process. Closed before the cluster stops. */
public interface ClusterServices extends AutoCloseable {
  /** Makes the volume, or checks that the one of this name has the same size and block size. */
  void ensureVolume(VolumeOption volume) throws IOException;

  /**
   * Serves the volumes by NBD, and returns when clients can use them.
   *
   * @return one line for each volume, to be printed as it is
   */
  List<String> serve(HostPort nbd, List<VolumeOption> volumes) throws IOException;

  @Override
  void close();

  /** How a program comes by its services. */
  interface Provider {
    /** What every server of the cluster needs in its configuration. */
    Map<String, String> settings();

    ClusterServices open(EmbeddedCluster cluster) throws IOException;
  }
}
