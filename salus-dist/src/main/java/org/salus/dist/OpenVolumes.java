package org.salus.dist;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.nbd.Exports;

/** The volumes that this process has mounted, as NBD exports under their own names. Thread-safe. */
final class OpenVolumes implements Exports, AutoCloseable {
  private final Map<String, Volume> volumes = new LinkedHashMap<>();

  /** @param address that this process listens on, or is about to */
  synchronized void open(SalusClient client, String name, boolean force, String address) {
    volumes.put(name, client.openAsService(name, force, address));
  }

  /** An address to listen on as {@link #open} takes it. A port that is not chosen yet is nobody's: the process stands for it. */
  static String address(HostPort listen) {
    return "nbd at " + (listen.port() == 0 ? "a port of process " + ProcessHandle.current().pid() : listen);
  }

  @Override
  public synchronized List<String> names() {
    return List.copyOf(volumes.keySet());
  }

  @Override
  public synchronized Volume find(String name) {
    return name.isEmpty() && volumes.size() == 1 ? volumes.values().iterator().next() : volumes.get(name);
  }

  /** Waits for outstanding requests. */
  @Override
  public void close() {
    List<Volume> open;
    synchronized (this) {
      open = new ArrayList<>(volumes.values());
      volumes.clear();
    }
    open.forEach(Volume::close);
  }
}
