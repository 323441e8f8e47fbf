package org.salus.benchmarks.figures.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.load.CheckedStore;
import org.salus.benchmarks.figures.load.Contents;
import org.salus.benchmarks.figures.result.Comparison;
import org.salus.benchmarks.figures.watch.Spent;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.peers.hbase.HBaseBlocks;
import org.salus.core.Lanes;
import org.salus.host.config.ClientSettings;

/** A cluster, with the stores on it that are compared. For one thread. */
public abstract class FigureCluster implements AutoCloseable {
  /** Requests of a batch, as in the paper. */
  public static final int BATCH = 250;

  /** Outstanding batches, if there is more than one. */
  public static final int BATCHES = 8;

  private static final String HBASE_1 = "HBase, 1 batch";
  private static final String HBASE_8 = "HBase, " + BATCHES + " batches";

  /** The names of the stores of {@link #salusAndHBase}, in their order. */
  public static final List<String> SALUS_AND_HBASE = List.of(Comparison.SALUS, HBASE_1, HBASE_8);

  /** Regions of each volume and each table. */
  public static final int REGIONS = 4;

  private final String prefix;
  private final Contents contents;
  private final int blocks;
  private final List<BlockStoreUnderTest> stores = new ArrayList<>();

  /**
   * @param prefix of the names of volumes and tables, which no other has
   * @param seed of all contents
   * @param blocks of each store
   */
  FigureCluster(String prefix, long seed, int blocks) {
    this.prefix = prefix;
    this.contents = new Contents(seed);
    this.blocks = blocks;
  }

  /** Starts the cluster, or says that it runs already. */
  public abstract void start(Consumer<String> progress) throws IOException;

  /** Settings of a client of Salus. */
  public abstract Map<String, String> client() throws IOException;

  /**
   * What the servers and this process have spent until now; empty if the servers were not started
   * here.
   */
  public abstract Optional<Spent> spent() throws IOException;

  /** Lines about the servers, for the report. */
  abstract List<String> servers();

  /** How many members each region has when nothing is in the way. */
  public int members() {
    return Lanes.COUNT;
  }

  /**
   * A fresh volume. As many requests may be outstanding as in the table with most batches.
   *
   * @param synced whether each write is on disk before it completes
   */
  public CheckedStore salus(String name, boolean synced) throws IOException {
    return salus(name, synced, REGIONS);
  }

  /** Like {@link #salus(String, boolean)}, with so many regions. */
  public CheckedStore salus(String name, boolean synced, int regions) throws IOException {
    return open(volume(name, synced, regions));
  }

  /** A volume that is not made yet. It must be the next store that is opened. */
  public final SalusBlocks volume(String name, boolean synced, int regions) throws IOException {
    return new SalusBlocks(
        name,
        prefix + stores.size(),
        new SalusBlocks.Shape(regions, BATCH * BATCHES, synced),
        this::members,
        client());
  }

  /** A fresh table, with as many regions as a volume has. */
  public CheckedStore hbase(String name, int batch, int outstanding, boolean synced)
      throws IOException {
    String zookeeper = client().get(ClientSettings.QUORUM.key());
    return open(
        new HBaseBlocks(
            name,
            prefix + stores.size(),
            zookeeper,
            new HBaseBlocks.Shape(REGIONS, batch, outstanding, synced)));
  }

  /** A volume, and tables with one batch outstanding, as in the paper, and with several. */
  public List<CheckedStore> salusAndHBase() throws IOException {
    return List.of(
        salus(Comparison.SALUS, false),
        hbase(HBASE_1, BATCH, 1, false),
        hbase(HBASE_8, BATCH, BATCHES, false));
  }

  public final CheckedStore open(BlockStoreUnderTest store) throws IOException {
    stores.add(store);
    store.open(blocks);
    return new CheckedStore(store, contents, blocks);
  }

  /** All stores that were opened. */
  final List<BlockStoreUnderTest> stores() {
    return stores;
  }

  /** The same elements, with another one first in every round. */
  public static <T> List<T> inTurn(List<T> all, int round) {
    List<T> turned = new ArrayList<>(all);
    Collections.rotate(turned, -round);
    return turned;
  }

  /** Lines about seed, stores and servers, for the report. */
  public List<String> setting() {
    List<String> all =
        new ArrayList<>(
            List.of(
                "seed: " + contents.seed(),
                "stores: "
                    + blocks
                    + " blocks of 4 KiB each, "
                    + REGIONS
                    + " regions, log segments of the default size"));
    all.addAll(servers());
    return all;
  }

  @Override
  public void close() throws IOException {
    for (BlockStoreUnderTest store : stores) {
      store.close();
    }
  }
}
