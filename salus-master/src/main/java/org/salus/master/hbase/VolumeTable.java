package org.salus.master.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.NamespaceExistException;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy;
import org.salus.host.VolumeTables;
import org.salus.master.VolumeCatalogue;

/**
 * The tables of volumes, through a connection that the caller owns. HBase stores nothing in them.
 * Thread-safe.
 */
public final class VolumeTable implements VolumeCatalogue {
  /** The column family that HBase demands; nothing is ever put into it. */
  private static final String FAMILY = "none";

  private final Connection connection;

  public VolumeTable(Connection connection) {
    this.connection = connection;
  }

  /** Returns the name of a volume's table. */
  public static TableName name(String volume) {
    return TableName.valueOf(VolumeTables.NAMESPACE, volume);
  }

  @Override
  public void create(String volume, int regions) throws IOException {
    if (regions < 1) {
      throw new IllegalArgumentException("a volume of " + regions + " regions");
    }
    try (Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(name(volume))) {
        createNamespace(admin);
        createTable(admin, volume, regions);
      }
      int found = admin.getRegions(name(volume)).size();
      if (found != regions * VolumeTables.REPLICAS) {
        throw new IOException(
            "table "
                + name(volume)
                + " exists with "
                + found
                + " replicas of regions, not "
                + regions * VolumeTables.REPLICAS);
      }
    }
  }

  @Override
  public void delete(String volume) throws IOException {
    TableName name = name(volume);
    try (Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(name)) {
        return;
      }
      if (!admin.isTableDisabled(name)) {
        admin.disableTable(name);
      }
      admin.deleteTable(name);
    }
  }

  @Override
  public List<String> list() throws IOException {
    List<String> volumes = new ArrayList<>();
    try (Admin admin = connection.getAdmin()) {
      for (TableName name : admin.listTableNamesByNamespace(VolumeTables.NAMESPACE)) {
        volumes.add(name.getQualifierAsString());
      }
    } catch (NamespaceNotFoundException none) {
      return List.of();
    }
    volumes.sort(null);
    return volumes;
  }

  private static void createNamespace(Admin admin) throws IOException {
    if (Arrays.asList(admin.listNamespaces()).contains(VolumeTables.NAMESPACE)) {
      return;
    }
    try {
      admin.createNamespace(NamespaceDescriptor.create(VolumeTables.NAMESPACE).build());
    } catch (NamespaceExistException madeMeanwhile) {
      return;
    }
  }

  private static void createTable(Admin admin, String volume, int regions) throws IOException {
    byte[][] splits = new byte[regions - 1][];
    for (int region = 1; region < regions; region++) {
      splits[region - 1] = VolumeTables.startKey(region);
    }
    try {
      admin.createTable(descriptor(volume), splits);
    } catch (TableExistsException madeMeanwhile) {
      return;
    }
  }

  private static TableDescriptor descriptor(String volume) {
    return TableDescriptorBuilder.newBuilder(name(volume))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
        .setReadOnly(true)
        .setRegionReplication(VolumeTables.REPLICAS)
        .setRegionMemStoreReplication(false)
        .setSplitEnabled(false)
        .setMergeEnabled(false)
        .setNormalizationEnabled(false)
        .setRegionSplitPolicyClassName(DisabledRegionSplitPolicy.class.getName())
        .build();
  }
}
