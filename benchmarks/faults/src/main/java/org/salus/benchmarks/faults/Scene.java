package org.salus.benchmarks.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.salus.benchmarks.faults.hdfs.ReplicaDamage;
import org.salus.benchmarks.faults.hdfs.Replicas;
import org.salus.benchmarks.faults.store.FaultCluster;
import org.salus.benchmarks.faults.store.Target;
import org.salus.benchmarks.faulty.ServerFault;
import org.salus.dist.hbase.Daemon;

/**
 * What a fault is done to: a store on a cluster, and the servers that serve it. For a volume these
 * are the members of its first region. A table has one server for each region.
 *
 * @param nodes of the servers, the most harmful first, as of the beginning of the cell
 */
public record Scene(FaultCluster cluster, Target target, String store, List<String> nodes) {
  private static final int MOVES = 5;
  private static final long AWAY_SECONDS = 5;

  /** The number of the server at this place, or of any other server beyond the last. */
  private int number(int place) {
    if (place < nodes.size()) {
      return FaultCluster.number(nodes.get(place));
    }
    List<Integer> others = new ArrayList<>();
    for (int i = 0; i < cluster.servers(); i++) {
      int server = i;
      if (nodes.stream().noneMatch(n -> FaultCluster.number(n) == server)) {
        others.add(server);
      }
    }
    return others.get(place - nodes.size());
  }

  public void killServers(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      cluster.kill(Daemon.REGIONSERVER, number(i));
    }
  }

  public void killDataNodes(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      cluster.kill(Daemon.DATANODE, number(i));
    }
  }

  /**
   * The first region's servers from this place on crash with their DataNodes. They are started
   * again when they have been away for long enough to be missed.
   */
  public void sendAway(int from) throws IOException, InterruptedException {
    for (int i = from; i < nodes.size(); i++) {
      cluster.kill(Daemon.REGIONSERVER, number(i));
      cluster.kill(Daemon.DATANODE, number(i));
    }
    TimeUnit.SECONDS.sleep(AWAY_SECONDS);
    cluster.restart();
  }

  public void stopServers(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      cluster.stop(Daemon.REGIONSERVER, number(i));
    }
  }

  public void stopDataNodes(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      cluster.stop(Daemon.DATANODE, number(i));
    }
  }

  /** The one daemon of its kind crashes and is started again. */
  public void bounce(Daemon role) throws IOException {
    cluster.kill(role, -1);
    cluster.restart();
  }

  /** Every region server crashes, and all are started again. */
  public void bounceServers() throws IOException {
    for (int i = 0; i < cluster.servers(); i++) {
      cluster.kill(Daemon.REGIONSERVER, i);
    }
    cluster.restart();
  }

  /** Somebody writes a wrong record of who serves the first region. */
  public void falsify(Target.WrongRecord how) throws IOException {
    target.falsify(store, how);
  }

  /** Switches a fault on in so many servers, or in all that serve the table if there are fewer. */
  public void tell(int count, ServerFault fault) throws IOException {
    for (int i = 0; i < Math.min(count, nodes.size()); i++) {
      cluster.switches().tell(store, nodes.get(i), fault);
    }
  }

  /**
   * Damages so many replicas of each file of a kind, those of this scene's servers first.
   *
   * @throws IOException if a file cannot be changed, or there is no such file, so that nothing was
   *     tested
   */
  public void damage(
      Target.Kind kind, ReplicaDamage damage, ReplicaDamage.Place place, int replicas, boolean fit)
      throws IOException {
    List<Replicas> files = target.files(store, kind);
    int hit = 0;
    for (int f = 0; f < files.size(); f++) {
      List<Path> blocks =
          files.get(f).blocks().stream().sorted(Comparator.comparingInt(this::place)).toList();
      Path other = files.get((f + 1) % files.size()).blocks().stream().findFirst().orElse(null);
      for (int i = 0; i < Math.min(replicas, blocks.size()); i++) {
        apply(damage, blocks.get(i), other == null ? blocks.get(i) : other, place, fit);
        hit++;
      }
    }
    if (hit == 0) {
      throw new CellRun.NoOccasionException(
          store + " has no " + kind.name().toLowerCase(Locale.ROOT) + " to damage");
    }
  }

  /** Looks again if the file has moved: a DataNode moves a file when it is finished. */
  private static void apply(
      ReplicaDamage damage, Path block, Path other, ReplicaDamage.Place place, boolean fit)
      throws IOException {
    for (int tries = 0; ; tries++) {
      try {
        damage.apply(moved(block), moved(other), place, fit);
        return;
      } catch (NoSuchFileException now) {
        if (tries == MOVES) {
          throw now;
        }
      }
    }
  }

  private static Path moved(Path block) throws IOException {
    if (Files.exists(block)) {
      return block;
    }
    Path dataNode = block;
    while (!dataNode.getFileName().toString().startsWith("datanode")) {
      dataNode = dataNode.getParent();
    }
    try (Stream<Path> files = Files.walk(dataNode)) {
      return files
          .filter(f -> f.getFileName().equals(block.getFileName()))
          .findFirst()
          .orElse(block);
    } catch (UncheckedIOException changed) {
      return block; // to be looked for again
    }
  }

  /** The place of the server that has this block file. */
  private int place(Path block) {
    for (int i = 0; i < nodes.size(); i++) {
      if (block.toString().contains("/datanode" + FaultCluster.number(nodes.get(i)) + "/")) {
        return i;
      }
    }
    return nodes.size();
  }
}
