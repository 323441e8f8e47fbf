package org.salus.master.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.NamespaceExistException;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy;
import org.apache.hadoop.hbase.regionserver.HRegionFileSystem;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.apache.hadoop.hbase.util.FSUtils;
import org.salus.host.VolumeTables;
import org.salus.master.VolumeCatalogue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of volumes, through a connection that the caller owns. HBase stores nothing in them.
 * Thread-safe.
 */
public final class VolumeTable implements VolumeCatalogue {
  /** The column family that HBase demands; nothing is ever put into it. */
  private static final String FAMILY = "none";

  private static final Logger LOG = LoggerFactory.getLogger(VolumeTable.class);

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
      restoreFiles(admin, volume);
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
        restoreFiles(admin, volume);
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

  /**
   * Makes the files again that HBase keeps of the table, if somebody has deleted them. Without them
   * no region of the table opens, and HBase waits for that before it disables the table.
   */
  private void restoreFiles(Admin admin, String volume) throws IOException {
    Configuration conf = connection.getConfiguration();
    Path root = CommonFSUtils.getRootDir(conf);
    try (FileSystem files = OwnFiles.open(root.toUri(), conf)) { // the master tries again
      restoreFiles(admin, volume, files, CommonFSUtils.getTableDir(root, name(volume)));
    }
  }

  private static void restoreFiles(Admin admin, String volume, FileSystem files, Path directory)
      throws IOException {
    Set<String> found = new HashSet<>();
    if (files.exists(directory)) {
      FSUtils.getRegionDirs(files, directory).forEach(region -> found.add(region.getName()));
    }
    if (!FSTableDescriptors.isTableDir(files, directory)) {
      LOG.warn("the files of table {} were gone from HDFS, and are made again", name(volume));
      FSTableDescriptors.createTableDescriptorForTableDirectory(
          files, directory, descriptor(volume), false);
    }
    for (RegionInfo region : admin.getRegions(name(volume))) {
      boolean hasFiles = region.getReplicaId() == RegionInfo.DEFAULT_REPLICA_ID;
      if (hasFiles && !found.contains(region.getEncodedName())) {
        HRegionFileSystem.createRegionOnFileSystem(files.getConf(), files, directory, region);
      }
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
