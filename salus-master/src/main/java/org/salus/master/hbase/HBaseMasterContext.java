package org.salus.master.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.master.MasterServices;
import org.apache.hadoop.hbase.master.RegionState;
import org.apache.hadoop.hbase.master.ServerListener;
import org.apache.hadoop.hbase.master.assignment.RegionStates;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.StandbyException;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.Quota;
import org.salus.host.FaultHandler;
import org.salus.host.VolumeTables;
import org.salus.host.metrics.Metrics;
import org.salus.master.HdfsReport;
import org.salus.master.MasterContext;
import org.salus.master.VolumeCatalogue;
import org.salus.master.hdfs.GuardReader;
import org.salus.master.hdfs.QuotaReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Offers HBase's master services as a {@link MasterContext}. */
final class HBaseMasterContext implements MasterContext, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HBaseMasterContext.class);

  private final MasterServices services;
  private final String node;
  private final Map<String, String> configuration;
  private final FaultHandler faults;
  private final Metrics metrics = new Metrics();
  private final List<ServerListener> listeners = new ArrayList<>();

  /** Of the one thread that asks for the state of HDFS; null before its first question. */
  private QuotaReader quotas;

  private DistributedFileSystem own;

  HBaseMasterContext(MasterServices services) {
    this.services = services;
    this.node = services.getServerName().getAddress().toString();
    this.configuration = values(services.getConfiguration());
    this.faults =
        FaultHandler.stopping(
            "master " + node, () -> services.abort("a bug in Salus' master", null));
  }

  @Override
  public String node() {
    return node;
  }

  @Override
  public String zookeeper() {
    return ZKConfig.getZKQuorumServersString(services.getConfiguration());
  }

  @Override
  public Map<String, String> configuration() {
    return configuration;
  }

  @Override
  public FaultHandler faults() {
    return faults;
  }

  @Override
  public Metrics metrics() {
    return metrics;
  }

  @Override
  public List<String> servers() {
    return services.getServerManager().getOnlineServers().keySet().stream()
        .map(server -> server.getAddress().toString())
        .sorted()
        .toList();
  }

  @Override
  public Map<Integer, List<String>> placement(String volume) {
    RegionStates states = services.getAssignmentManager().getRegionStates();
    List<RegionInfo> replicas = new ArrayList<>(states.getRegionsOfTable(VolumeTable.name(volume)));
    replicas.sort(Comparator.comparingInt(RegionInfo::getReplicaId));
    Map<Integer, List<String>> placement = new TreeMap<>();
    for (RegionInfo replica : replicas) {
      RegionState state = states.getRegionState(replica);
      ServerName server = state == null ? null : state.getServerName();
      if (server != null
          && state.isOpened()
          && services.getServerManager().isServerOnline(server)) {
        placement
            .computeIfAbsent(
                VolumeTables.region(replica.getStartKey()), region -> new ArrayList<>())
            .add(server.getAddress().toString());
      }
    }
    return placement;
  }

  @Override
  public Optional<Map<String, Integer>> replicas() {
    if (!services.isInitialized()) {
      return Optional.empty();
    }
    Map<String, Integer> found = new TreeMap<>();
    services.getAssignmentManager().getRegionStates().getRegionStates().stream()
        .map(RegionState::getRegion)
        .filter(ReplicaSpread::isVolume)
        .forEach(r -> found.merge(r.getTable().getQualifierAsString(), 1, Integer::sum));
    return Optional.of(found);
  }

  @Override
  public synchronized void watchServers(Consumer<List<String>> watcher) {
    ServerListener listener =
        new ServerListener() {
          @Override
          public void serverAdded(ServerName server) {
            tell(watcher);
          }

          @Override
          public void serverRemoved(ServerName server) {
            tell(watcher);
          }
        };
    listeners.add(listener);
    services.getServerManager().registerListener(listener);
  }

  @Override
  public HdfsReport hdfs() throws IOException {
    if (!(services.getMasterFileSystem().getFileSystem()
        instanceof DistributedFileSystem ofHBase)) {
      return HdfsReport.NONE;
    }
    DistributedFileSystem hdfs = impatient(ofHBase);
    if (quotas == null) {
      quotas = new QuotaReader(hdfs, services.getMasterFileSystem().getRootDir());
    }
    List<Quota> bounds = quotas.read(); // first, because the rest must be fresh and this may last
    try {
      return new HdfsReport(
          hdfs.isInSafeMode(),
          GuardReader.isGuarded(hdfs),
          DataNodeReports.of(hdfs.getDataNodeStats(DatanodeReportType.LIVE)),
          bounds);
    } catch (RemoteException | AccessControlException refused) {
      throw isOfStandby(refused) ? refused : new HdfsReport.RefusedException(refused);
    }
  }

  /** No NameNode is active, as in a fail-over. */
  private static boolean isOfStandby(IOException refused) {
    return refused instanceof RemoteException remote
        && remote.getClassName().equals(StandbyException.class.getName());
  }

  /** Else nobody would hear that the NameNode is away. */
  private synchronized DistributedFileSystem impatient(DistributedFileSystem ofHBase)
      throws IOException {
    if (own == null) {
      own = (DistributedFileSystem) OwnFiles.open(ofHBase.getUri(), ofHBase.getConf());
    }
    return own;
  }

  @Override
  public VolumeCatalogue tables() {
    return new VolumeTable(services.getConnection());
  }

  @Override
  public synchronized void close() {
    listeners.forEach(listener -> services.getServerManager().unregisterListener(listener));
    listeners.clear();
    if (own != null) {
      try {
        own.close();
      } catch (IOException failed) {
        LOG.debug("the connection to HDFS was not closed", failed);
      }
    }
  }

  private void tell(Consumer<List<String>> watcher) {
    try {
      watcher.accept(servers());
    } catch (RuntimeException | LinkageError failed) {
      LOG.error("BUG: a change of servers was not taken in", failed);
    }
  }

  private static Map<String, String> values(Configuration conf) {
    Map<String, String> values = new HashMap<>();
    for (Map.Entry<String, String> entry : conf) {
      values.put(entry.getKey(), conf.get(entry.getKey(), ""));
    }
    return Map.copyOf(values);
  }
}
