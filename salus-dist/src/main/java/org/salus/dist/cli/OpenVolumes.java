package org.salus.dist.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.nbd.Exports;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The volumes that this process has mounted, as NBD exports under their own names. Thread-safe. */
public final class OpenVolumes implements Exports, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OpenVolumes.class);

  /**
   * Longest wait for requests under way when the process ends. Acknowledged writes are safe in any
   * case.
   */
  private static final long CLOSE_SECONDS = 3;

  private final Map<String, Volume> volumes = new LinkedHashMap<>();

  /**
   * Mounts a volume and adds it.
   *
   * @param address the address on which this process listens or will listen, as {@link #address}
   *     gives it
   */
  public synchronized void open(SalusClient client, String name, boolean force, String address) {
    volumes.put(name, client.openAsService(name, force, address));
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

  /** Closes all volumes. Waits for outstanding requests. */
  @Override
  public void close() {
    List<Volume> open;
    synchronized (this) {
      open = new ArrayList<>(volumes.values());
      volumes.clear();
    }
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
