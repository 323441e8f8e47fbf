package org.salus.dist.hbase;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.salus.dist.ClusterServices;
import org.salus.dist.HostPort;
import org.salus.dist.VolumeOption;
import org.salus.master.hbase.VolumeTable;

/** Services of a cluster without engine: volumes are tables with as many regions as there are servers, not served. */
public final class TableServices implements ClusterServices {
  /** The provider. */
  public static final Provider PROVIDER = new Provider() {
    @Override
    public Map<String, String> settings() {
      return Map.of();
    }

    @Override
    public ClusterServices open(EmbeddedCluster cluster) throws IOException {
      return new TableServices(cluster);
    }
  };

  private final Connection connection;
  private final VolumeTable tables;
  private final int regions;

  private TableServices(EmbeddedCluster cluster) throws IOException {
    connection = ConnectionFactory.createConnection(cluster.configuration());
    tables = new VolumeTable(connection);
    regions = cluster.servers().size();
  }

  @Override
  public void ensureVolume(VolumeOption volume) throws IOException {
    if (!tables.list().contains(volume.name())) {
      tables.create(volume.name(), regions);
    }
  }

  @Override
  public List<String> serve(HostPort nbd, List<VolumeOption> volumes) {
    return List.of();
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
