package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.checkpoint.PageCache;
import org.salus.core.message.Message.HoldingsReply;
import org.salus.core.message.Message.InventoryReply;
import org.salus.core.path.FilePath;
import org.salus.core.path.VolumePath;
import org.salus.datanode.hdfs.replica.VolumeFiles;
import org.salus.host.netty.Loop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server's access to HDFS, which its members share. Methods block on I/O, except {@link #open}
 * and {@link #scrub}. Thread-safe.
 */
public final class RegionStores implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RegionStores.class);

  private final Configuration conf = new Configuration(false);
  private final VolumeFiles files;
  private final PageCache pages = new PageCache();
  private final byte[] secret;

  /**
   * @param settings all settings of the server, Hadoop's among them
   * @param secret the cluster's secret; the caller must not change the array
   */
  public RegionStores(Map<String, String> settings, byte[] secret) throws IOException {
    this.secret = secret;
    settings.forEach(conf::set);
    files = new VolumeFiles(conf);
  }

  /**
   * Returns the replicas of one member.
   *
   * @param dataNodes "ip:port" of each member's DataNode in chain order
   * @param place this member's place in the chain, from 0
   * @param loop writes to the own DataNode
   * @param damage is told of damaged replicas on the own DataNode
   */
  public RegionStore open(
      VolumeSpec spec,
      RegionId region,
      List<String> dataNodes,
      int place,
      Loop loop,
      Damage damage) {
    return RegionStore.of(
        new RegionFiles(spec, region, List.copyOf(dataNodes), place, files, conf, loop),
        pages,
        new Signer(secret),
        damage);
  }

  /**
   * Returns the checks of one DataNode's replicas.
   *
   * @param node the DataNode's server
   * @param own "ip:port" of the DataNode
   */
  public ReplicaScrub scrub(String node, String own, ReplicaScrub.Pace pace) {
    return new ReplicaScrub(node, own, files, conf, new Signer(secret), pace);
  }

  /**
   * Returns the finished files of a region as its newest manifest names them, for a server without
   * a member.
   *
   * @throws IOException when no manifest of this epoch can be read now
   */
  public List<ScrubFile> certified(VolumeSpec spec, RegionId region, int epoch) throws IOException {
    return new NewestManifest(files, conf, new Signer(secret)).files(spec, region, epoch);
  }

  /**
   * Lists the directories of all volumes and the names in each. The reply carries an error if HDFS
   * does not answer.
   */
  public InventoryReply inventory() {
    try {
      List<String> paths = new ArrayList<>();
      for (String volume : files.directories(VolumePath.ROOT)) {
        paths.add(volume);
        files
            .directories(VolumePath.ROOT + "/" + volume)
            .forEach(name -> paths.add(volume + "/" + name));
      }
      return new InventoryReply("", paths);
    } catch (IOException failed) {
      return new InventoryReply(failed.toString(), List.of());
    }
  }

  /**
   * Finds out which parts of a region's log a DataNode has. The reply carries an error if that
   * fails.
   *
   * @param dataNode "ip:port" of the DataNode, which must be on this machine
   */
  public HoldingsReply holdings(VolumePath volume, RegionId region, String dataNode) {
    return new Holdings(files, conf, dataNode, region, new Signer(secret)).read(volume);
  }

  /** Removes all files of a volume that is being deleted. */
  public void deleteVolume(VolumePath volume) throws IOException {
    files.delete(volume.path(), volume.deletion(new Signer(secret)));
  }

  /** Renews the lease of a region's open segments. */
  public void renewLease(VolumeSpec spec, int region) throws IOException {
    files.renewLease(FilePath.directory(spec, region));
  }

  @Override
  public void close() {
    try {
      files.close();
    } catch (IOException failed) {
      LOG.info("closing HDFS: {}", failed.toString());
    }
  }
}
