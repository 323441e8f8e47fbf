package org.salus.master.hbase;

import java.io.IOException;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.SnapshotDescription;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.MasterObserver;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.salus.host.VolumeTables;
import org.salus.master.MasterHost;

/**
 * Refuses what HBase's clients ask for the tables of volumes. They only stand for the volumes, and
 * follow their records. They are read-only, and HBase tries for ever to flush such a table, for a
 * snapshot too. A region may be moved, as tools do that empty a server. The master itself comes by
 * no connection, and may do all. Thread-safe.
 */
final class TableGuard implements MasterObserver {
  private final Supplier<MasterHost> host;

  /**
   * @param host gives Salus' part of the master, or null while it does not run
   */
  TableGuard(Supplier<MasterHost> host) {
    this.host = host;
  }

  private boolean isGuarded(ObserverContext<MasterCoprocessorEnvironment> by, String namespace) {
    MasterHost running = host.get();
    return running != null
        && running.guardsTables()
        && namespace.equals(VolumeTables.NAMESPACE)
        && by.getCaller().isPresent();
  }

  private boolean keeps(String volume) {
    MasterHost running = host.get();
    return running != null && running.keeps(volume);
  }

  private void check(ObserverContext<MasterCoprocessorEnvironment> by, TableName table, String deed)
      throws IOException {
    String volume = table.getQualifierAsString();
    if (isGuarded(by, table.getNamespaceAsString()) && keeps(volume)) {
      throw new DoNotRetryIOException(
          "HBase cannot "
              + deed
              + " "
              + table
              + ", which stands for a volume of Salus; see 'salus volume info "
              + volume
              + "' and 'salus volume delete "
              + volume
              + "'");
    }
  }

  private void checkNew(ObserverContext<MasterCoprocessorEnvironment> by, TableName table)
      throws IOException {
    if (isGuarded(by, table.getNamespaceAsString())) {
      throw new DoNotRetryIOException(
          "the tables of namespace "
              + VolumeTables.NAMESPACE
              + " stand for volumes of Salus; make one with 'salus volume create "
              + table.getQualifierAsString()
              + ":SIZE'");
    }
  }

  @Override
  public void preCreateTable(
      ObserverContext<MasterCoprocessorEnvironment> by, TableDescriptor made, RegionInfo[] regions)
      throws IOException {
    checkNew(by, made.getTableName());
  }

  @Override
  public void preCloneSnapshot(
      ObserverContext<MasterCoprocessorEnvironment> by,
      SnapshotDescription snapshot,
      TableDescriptor made)
      throws IOException {
    checkNew(by, made.getTableName());
  }

  @Override
  public void preRestoreSnapshot(
      ObserverContext<MasterCoprocessorEnvironment> by,
      SnapshotDescription snapshot,
      TableDescriptor restored)
      throws IOException {
    check(by, restored.getTableName(), "restore");
  }

  @Override
  public void preDeleteTable(ObserverContext<MasterCoprocessorEnvironment> by, TableName table)
      throws IOException {
    check(by, table, "drop");
  }

  @Override
  public void preTruncateTable(ObserverContext<MasterCoprocessorEnvironment> by, TableName table)
      throws IOException {
    check(by, table, "truncate");
  }

  @Override
  public TableDescriptor preModifyTable(
      ObserverContext<MasterCoprocessorEnvironment> by,
      TableName table,
      TableDescriptor now,
      TableDescriptor then)
      throws IOException {
    check(by, table, "alter");
    return then;
  }

  @Override
  public String preModifyTableStoreFileTracker(
      ObserverContext<MasterCoprocessorEnvironment> by, TableName table, String then)
      throws IOException {
    check(by, table, "alter");
    return then;
  }

  @Override
  public String preModifyColumnFamilyStoreFileTracker(
      ObserverContext<MasterCoprocessorEnvironment> by, TableName table, byte[] family, String then)
      throws IOException {
    check(by, table, "alter");
    return then;
  }

  @Override
  public void preDisableTable(ObserverContext<MasterCoprocessorEnvironment> by, TableName table)
      throws IOException {
    check(by, table, "disable");
  }

  @Override
  public void preSnapshot(
      ObserverContext<MasterCoprocessorEnvironment> by,
      SnapshotDescription snapshot,
      TableDescriptor of)
      throws IOException {
    check(by, of.getTableName(), "take a snapshot of");
  }

  @Override
  public void preTableFlush(ObserverContext<MasterCoprocessorEnvironment> by, TableName table)
      throws IOException {
    check(by, table, "flush");
  }

  @Override
  public void preUnassign(ObserverContext<MasterCoprocessorEnvironment> by, RegionInfo region)
      throws IOException {
    check(by, region.getTable(), "unassign a region of");
  }

  @Override
  public void preRegionOffline(ObserverContext<MasterCoprocessorEnvironment> by, RegionInfo region)
      throws IOException {
    check(by, region.getTable(), "take offline a region of");
  }

  @Override
  public void preDeleteNamespace(ObserverContext<MasterCoprocessorEnvironment> by, String namespace)
      throws IOException {
    checkNamespace(by, namespace);
  }

  @Override
  public void preModifyNamespace(
      ObserverContext<MasterCoprocessorEnvironment> by,
      NamespaceDescriptor now,
      NamespaceDescriptor then)
      throws IOException {
    checkNamespace(by, now.getName());
  }

  private void checkNamespace(ObserverContext<MasterCoprocessorEnvironment> by, String namespace)
      throws IOException {
    if (isGuarded(by, namespace)) {
      throw new DoNotRetryIOException(
          "namespace " + namespace + " holds the tables of Salus' volumes and stays as it is");
    }
  }
}
