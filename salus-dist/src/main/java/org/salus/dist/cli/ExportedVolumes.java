package org.salus.dist.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.salus.client.LastMount;
import org.salus.client.OpenOptions;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.client.Volume;
import org.salus.host.DaemonThreads;
import org.salus.nbd.Exports;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The volumes that this process has mounted, as NBD exports under their own names. An export goes
 * with its volume: if that is deleted, it is no longer offered, and if another one of its name is
 * made, it offers that one, unless it goes on after an earlier process. Thread-safe.
 */
public final class ExportedVolumes implements Exports, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExportedVolumes.class);

  /**
   * Longest wait for requests under way when the process ends. Acknowledged writes are safe in any
   * case.
   */
  private static final long CLOSE_SECONDS = 3;

  /** The longest wait for the answers of clients, before that. */
  static final Duration LET_GO = Duration.ofSeconds(2);

  /** The bridge's callbacks only pass answers on, and it bounds the memory of requests itself. */
  private static final OpenOptions OPTIONS =
      OpenOptions.DEFAULT
          .withCallbackExecutor(Runnable::run)
          .withMaxOutstandingBytes(Long.MAX_VALUE);

  /** Between two looks whether a volume was made under the name of a deleted one. */
  private static final long LOOK_SECONDS = 2;

  private final Map<String, Volume> volumes = new LinkedHashMap<>();

  /** Mounts what takes the place of deleted volumes, which blocks. */
  private final ScheduledExecutorService later =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("salus-exports"));

  /** Why volumes that are still offered can be used no more, by name. */
  private final Map<String, String> problems = new HashMap<>();

  private final boolean forOneClient;
  private boolean closed;

  /** Volumes for any number of clients each. */
  public ExportedVolumes() {
    this(false);
  }

  /**
   * @param forOneClient see {@link Exports#isForOneClient}
   */
  ExportedVolumes(boolean forOneClient) {
    this.forOneClient = forOneClient;
  }

  /**
   * Mounts a volume and adds it.
   *
   * @param address the address on which this process listens or will listen, as {@link #address}
   *     gives it
   */
  public void open(SalusClient client, String name, boolean force, String address) {
    open(client, name, OPTIONS.withForce(force), address);
  }

  /**
   * Same as {@link #open}, for clients of an earlier process. They may hold changes for this volume
   * and no other, so another one of its name is never offered.
   *
   * @throws SalusException.Fenced when another writer has had the volume since
   * @throws SalusException.NotFound when it is another volume
   */
  void goOn(SalusClient client, String name, boolean force, String address, LastMount last) {
    open(client, name, OPTIONS.withForce(force).withLastMount(last), address);
  }

  private void open(SalusClient client, String name, OpenOptions options, String address) {
    AtomicReference<SalusException> end = new AtomicReference<>();
    Volume volume =
        client.openAsService(
            name,
            options,
            address,
            why -> {
              end.set(why);
              over(client, name, options, address, why);
            });
    synchronized (this) {
      if (!closed) {
        offer(name, volume, end.get());
        return;
      }
      volumes.clear();
    }
    volume.close(); // this process ends, and its other volumes are closed
  }

  /**
   * @param end why it is over already, as when it was taken at this moment; null if it is not
   */
  private void offer(String name, Volume volume, SalusException end) {
    if (end == null) {
      problems.remove(name); // of the one before
    }
    if (!(end instanceof SalusException.NotFound)) {
      volumes.put(name, volume);
    }
  }

  private synchronized void over(
      SalusClient client, String name, OpenOptions options, String address, SalusException why) {
    problems.put(name, why.getMessage());
    if (why instanceof SalusException.NotFound && !closed) {
      volumes.remove(name);
      LOG.warn("export {} is no longer offered: {}", name, why.getMessage());
      if (options.lastMount() == null) {
        later.schedule(() -> openAgain(client, name, address), LOOK_SECONDS, TimeUnit.SECONDS);
      }
    }
  }

  private void openAgain(SalusClient client, String name, String address) {
    try {
      open(client, name, false, address);
      LOG.warn("export {} offers another volume of its name", name);
    } catch (SalusException notYet) {
      LOG.debug("no volume {} can be mounted yet", name, notYet);
      synchronized (this) {
        if (!closed) {
          later.schedule(() -> openAgain(client, name, address), LOOK_SECONDS, TimeUnit.SECONDS);
        }
      }
    }
  }

  /**
   * Names an address to listen on, as {@link #open} takes it. A port that is not chosen yet
   * identifies no service, so the process id stands for it.
   */
  public static String address(HostPort listen) {
    return "nbd at "
        + (listen.port() == 0 ? "a port of process " + ProcessHandle.current().pid() : listen);
  }

  @Override
  public synchronized List<String> names() {
    return List.copyOf(volumes.keySet());
  }

  @Override
  public synchronized Volume find(String name) {
    return name.isEmpty() && volumes.size() == 1
        ? volumes.values().iterator().next()
        : volumes.get(name);
  }

  @Override
  public synchronized String problem(String name) {
    return name.isEmpty() && volumes.size() == 1
        ? problems.get(volumes.keySet().iterator().next())
        : problems.get(name);
  }

  @Override
  public boolean isForOneClient() {
    return forOneClient;
  }

  /** Closes all volumes. Waits for outstanding requests. */
  @Override
  public void close() {
    List<Volume> open;
    synchronized (this) {
      closed = true;
      open = new ArrayList<>(volumes.values());
      volumes.clear();
    }
    later.shutdownNow();
    open.forEach(Volume::close);
  }

  /**
   * Same as {@link #close}, but waits 3 s at most, so that a process can end while the cluster is
   * down. After that it closes the client: requests under way fail, and the claims are given back,
   * so that the next writer need not wait.
   */
  void closeSoon(SalusClient client) {
    if (!isDoneSoon(this::close)) {
      isDoneSoon(client::close);
    }
  }

  private static boolean isDoneSoon(Runnable what) {
    try {
      CompletableFuture.runAsync(what).get(CLOSE_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException | ExecutionException failed) {
      LOG.warn("volumes do not close cleanly", failed);
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
    }
    return false;
  }
}
