package org.salus.benchmarks.figures.load;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.salus.benchmarks.figures.load.Load.Access;
import org.salus.benchmarks.peers.BlockStoreUnderTest;

/**
 * Clients that work at the same time, each with a thread and a store of its own. For one thread.
 */
public final class Clients implements AutoCloseable {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private final List<CheckedStore> stores;
  private final ExecutorService threads;

  /** What each client does. */
  interface Work {
    void on(CheckedStore store) throws IOException;
  }

  public Clients(List<CheckedStore> stores) {
    this.stores = stores;
    this.threads = Executors.newFixedThreadPool(stores.size());
  }

  /** The name of the system that all of them use. */
  public String name() {
    return stores.get(0).name();
  }

  /** Has so many clients work at once, and waits for all. */
  void atOnce(int clients, Work work) throws IOException {
    try {
      List<Callable<Void>> all =
          stores.subList(0, clients).stream()
              .<Callable<Void>>map(
                  store ->
                      () -> {
                        work.on(store);
                        return null;
                      })
              .toList();
      for (Future<Void> one : threads.invokeAll(all)) {
        one.get();
      }
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof IOException e) {
        throw e;
      }
      throw new IllegalStateException(failed.getCause());
    }
  }

  /** How many clients there are. */
  public int size() {
    return stores.size();
  }

  /**
   * Has so many clients read or write every block of their stores.
   *
   * @return 10^6 bytes a second of all clients together, until the last answer
   */
  public double everyBlock(int clients, Access operation, IntUnaryOperator order)
      throws IOException {
    long begin = System.nanoTime();
    atOnce(clients, store -> Load.everyBlock(store, operation, order));
    double seconds = (System.nanoTime() - begin) / NANOS;
    return (double) clients * stores.get(0).blocks() * BlockStoreUnderTest.BLOCK / 1e6 / seconds;
  }

  /** Waits until everything that so many clients have written is in files. */
  public void settle(int clients) throws IOException {
    atOnce(clients, store -> store.store().settle());
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
