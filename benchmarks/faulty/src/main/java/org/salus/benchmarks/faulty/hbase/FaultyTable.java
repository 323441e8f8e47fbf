package org.salus.benchmarks.faulty.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.ExtendedCellBuilderFactory;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.salus.benchmarks.faulty.Control;
import org.salus.benchmarks.faulty.ServerFault;

/**
 * A coprocessor that does the same faults in an ordinary table. It shows what HBase does when its
 * region server is wrong.
 */
// HBase declares its hooks with raw types.
@SuppressWarnings("rawtypes")
public final class FaultyTable implements RegionCoprocessor, RegionObserver {
  private static final long LATE_NANOS = 50_000_000;

  private final AtomicLong puts = new AtomicLong();
  private Control control;
  private String table;

  @Override
  public void start(CoprocessorEnvironment environment) {
    RegionCoprocessorEnvironment e = (RegionCoprocessorEnvironment) environment;
    table = e.getRegionInfo().getTable().getNameAsString();
    control =
        Control.of(
            e.getConfiguration().get(Control.DIR_KEY), e.getServerName().getAddress().toString());
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  private boolean has(ServerFault fault) {
    boolean on = control.of(table).contains(fault);
    if (on) {
      control.did(table, fault);
    }
    return on;
  }

  @Override
  public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
      throws IOException {
    if (has(ServerFault.REFUSES) || has(ServerFault.SILENT)) {
      throw new DoNotRetryIOException("a faulty server refuses");
    }
    if (has(ServerFault.WRONG_LOG) || has(ServerFault.FORGES)) {
      put.getFamilyCellMap().replaceAll((family, cells) -> altered(cells));
    }
    if (has(ServerFault.WITHHOLDS)) {
      put.setDurability(Durability.SKIP_WAL);
    }
    if (has(ServerFault.OUT_OF_ORDER) && puts.incrementAndGet() % 2 == 0) {
      LockSupport.parkNanos(LATE_NANOS);
    }
    if (has(ServerFault.DELETES)) {
      delete(context.getEnvironment());
    }
  }

  @Override
  public void postGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
    if (has(ServerFault.STALE_READS)) {
      result.clear();
    } else if (has(ServerFault.WRONG_READS)) {
      List<Cell> wrong = altered(result);
      result.clear();
      result.addAll(wrong);
    }
  }

  @Override
  public InternalScanner preFlush(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Store store,
      InternalScanner scanner,
      FlushLifeCycleTracker tracker) {
    return has(ServerFault.WRONG_CHECKPOINTS) ? new AlteringScanner(scanner) : scanner;
  }

  private static void delete(RegionCoprocessorEnvironment e) throws IOException {
    Path root = CommonFSUtils.getRootDir(e.getConfiguration());
    Path region =
        new Path(
            CommonFSUtils.getTableDir(root, e.getRegionInfo().getTable()),
            e.getRegionInfo().getEncodedName());
    CommonFSUtils.getCurrentFileSystem(e.getConfiguration()).delete(new Path(region, "b"), true);
  }

  /** The same cells, with a bit of each value flipped. */
  static List<Cell> altered(List<Cell> cells) {
    List<Cell> wrong = new ArrayList<>();
    for (Cell c : cells) {
      byte[] value = CellUtil.cloneValue(c);
      if (value.length > 0) {
        value[value.length / 2] ^= 0x10;
      }
      wrong.add(
          ExtendedCellBuilderFactory.create(CellBuilderType.DEEP_COPY)
              .setRow(CellUtil.cloneRow(c))
              .setFamily(CellUtil.cloneFamily(c))
              .setQualifier(CellUtil.cloneQualifier(c))
              .setTimestamp(c.getTimestamp())
              .setType(c.getType())
              .setValue(value)
              .setSequenceId(c instanceof ExtendedCell x ? x.getSequenceId() : 0)
              .build());
    }
    return wrong;
  }

  /** Writes other values to a file than are in memory. */
  private record AlteringScanner(InternalScanner from) implements InternalScanner {
    @Override
    public boolean next(List<Cell> result, ScannerContext scannerContext) throws IOException {
      List<Cell> right = new ArrayList<>();
      boolean more = from.next(right, scannerContext);
      result.addAll(altered(right));
      return more;
    }

    @Override
    public void close() throws IOException {
      from.close();
    }
  }
}
