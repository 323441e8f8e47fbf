package org.salus.benchmarks.faults.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.salus.benchmarks.faults.Cell;
import org.salus.benchmarks.faults.Cell.Action;
import org.salus.benchmarks.faults.CellPhase;
import org.salus.benchmarks.faults.Scene;
import org.salus.benchmarks.faults.hdfs.ReplicaDamage;
import org.salus.benchmarks.faults.hdfs.ReplicaDamage.Place;
import org.salus.benchmarks.faults.store.Target.Kind;
import org.salus.benchmarks.faulty.ServerFault;
import org.salus.dist.hbase.Daemon;

/** The cells beyond the paper: fault by place by scope. The phases take turns. */
public final class Matrix {
  private static final int MOST = 3;
  private static final List<CellPhase> AT_REST =
      List.of(CellPhase.READ, CellPhase.RECOVERY, CellPhase.MOUNT, CellPhase.FLUSH);
  private static final List<CellPhase> UNDER_WAY =
      List.of(
          CellPhase.WRITE, CellPhase.FLUSH, CellPhase.RECOVERY, CellPhase.MOUNT, CellPhase.READ);

  /** A combination that is not run. */
  public record LeftOut(String what, String why) {}

  private Matrix() {}

  /** The cells, in the order of their numbers. */
  public static List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    disks(cells);
    servers(cells);
    processes(cells);
    rightOnesAway(cells);
    return List.copyOf(cells);
  }

  private static void disks(List<Cell> cells) {
    int turn = 0;
    for (ReplicaDamage damage : ReplicaDamage.values()) {
      for (Kind kind : Kind.values()) {
        for (Place place : damage.canFit() ? Place.values() : new Place[] {Place.BODY}) {
          for (int n = 1; n <= MOST; n++) {
            // Phases, and checksums that fit or do not, vary with each scope.
            boolean fit = damage.canFit() && turn / AT_REST.size() % 2 == 0;
            cells.add(disk(damage, kind, place, n, AT_REST.get(turn % AT_REST.size()), fit));
            turn++;
          }
        }
        turn++;
      }
    }
  }

  private static Cell disk(
      ReplicaDamage damage, Kind kind, Place place, int n, CellPhase phase, boolean fit) {
    String where = kind == Kind.LOG ? "log " : "checkpoint ";
    String part =
        switch (place) {
          case HEAD -> "head";
          case BODY -> "body";
          case TAIL -> kind == Kind.LOG ? "tail" : "index";
          case END -> kind == Kind.LOG ? "last certificate" : "trailer";
        };
    return new Cell(
        damage.toString(),
        where + (damage.canFit() ? part : "replica") + (fit ? ", checksums valid" : ""),
        n + " of 3",
        phase,
        n,
        true,
        s -> s.damage(kind, damage, place, n, fit));
  }

  private static void servers(List<Cell> cells) {
    int turn = 0;
    for (ServerFault kind : ServerFault.values()) {
      for (int n = 1; n <= MOST; n++) {
        int count = n;
        for (CellPhase phase : phases(kind, turn)) {
          cells.add(
              new Cell(
                  kind.label(),
                  "region server",
                  n + " of 3",
                  phase,
                  n,
                  true,
                  s -> s.tell(count, kind)));
        }
        turn += 2;
      }
    }
  }

  /**
   * The phases in which there is an occasion for a fault: checkpoints are built when much is
   * written, and a client that mounts asks for hashes.
   */
  private static List<CellPhase> phases(ServerFault kind, int turn) {
    return switch (kind) {
      case WRONG_CHECKPOINTS -> List.of(CellPhase.FLUSH);
      case WRONG_HASHES -> List.of(CellPhase.MOUNT);
      default ->
          List.of(
              UNDER_WAY.get(turn % UNDER_WAY.size()), UNDER_WAY.get((turn + 1) % UNDER_WAY.size()));
    };
  }

  private static void processes(List<Cell> cells) {
    for (CellPhase phase : List.of(CellPhase.WRITE, CellPhase.FLUSH, CellPhase.MOUNT)) {
      for (int n = 1; n <= 2; n++) {
        int k = n;
        process(cells, "killed", "region server", n, phase, s -> s.killServers(k));
        process(cells, "killed", "DataNode", n, phase, s -> s.killDataNodes(k));
        process(cells, "killed", "region server and DataNode", n, phase, pairs(n));
        process(cells, "stands still", "region server", n, phase, s -> s.stopServers(k));
      }
    }
    process(cells, "stands still", "DataNode", 1, CellPhase.WRITE, s -> s.stopDataNodes(1));
    process(cells, "stands still", "DataNode", 2, CellPhase.WRITE, s -> s.stopDataNodes(2));
    process(cells, "killed", "region server", MOST, CellPhase.WRITE, s -> s.killServers(MOST));
    process(cells, "killed", "DataNode", MOST, CellPhase.WRITE, s -> s.killDataNodes(MOST));
    process(cells, "killed", "region server and DataNode", MOST, CellPhase.MOUNT, pairs(MOST));
    for (CellPhase phase : List.of(CellPhase.WRITE, CellPhase.MOUNT)) {
      for (Daemon role : List.of(Daemon.MASTER, Daemon.NAMENODE, Daemon.ZOOKEEPER)) {
        String who = role.name().charAt(0) + role.name().substring(1).toLowerCase(Locale.ROOT);
        cells.add(
            new Cell(
                "killed, started again",
                who,
                "the only one",
                phase,
                0,
                false,
                s -> s.bounce(role)));
      }
      cells.add(
          new Cell(
              "killed, started again",
              "every region server",
              "cluster",
              phase,
              0,
              false,
              Scene::bounceServers));
    }
    cells.add(
        new Cell(
            "killed, started again",
            "client",
            "client",
            CellPhase.CLIENT_CRASH,
            0,
            false,
            s -> {}));
    for (int n = 1; n <= 2; n++) {
      int k = n;
      cells.add(
          new Cell(
              "killed, a suffix withheld",
              "client and region server",
              n + " of 3",
              CellPhase.CLIENT_CRASH,
              n,
              false,
              s -> s.tell(k, ServerFault.WITHHOLDS)));
    }
  }

  /** Wrong and transient at once: no fault of one server may outlive the moment. */
  private static void rightOnesAway(List<Cell> cells) {
    for (ServerFault kind : ServerFault.values()) {
      if (phases(kind, 0).size() > 1) {
        cells.add(FaultRows.away(FaultRows.tell(1, kind), kind.label()));
      }
    }
    cells.add(
        FaultRows.away(
            s -> s.damage(Kind.LOG, ReplicaDamage.JUNK, Place.BODY, 1, true),
            "junk in its log, checksums valid"));
  }

  private static Action pairs(int n) {
    Action servers = s -> s.killServers(n);
    return servers.then(s -> s.killDataNodes(n));
  }

  private static void process(
      List<Cell> cells, String what, String place, int n, CellPhase phase, Action action) {
    cells.add(new Cell(what, place, n + " of 3", phase, n, false, action));
  }

  /** What the axes name and no cell has, with the reason. */
  public static List<LeftOut> leftOut() {
    return List.of(
        new LeftOut(
            "an older version of a replica restored",
            "finished segments and checkpoints never change; an older open segment is a shorter one: 'cut off'"),
        new LeftOut("no checksums, or no file, with checksums that fit", "contradicts itself"),
        new LeftOut("certificate as a place", "it is the end of a log record: 'last certificate'"),
        new LeftOut(
            "EIO", "needs a device that fails under one DataNode: DiskErrorTest; simulated"),
        new LeftOut("ENOSPC", "needs a small file system under the DataNodes: NoSpaceTest"),
        new LeftOut(
            "unsynced data lost in a power cut",
            "the page cache outlives kill -9: simulated, and tested on disks of their own (`PowerCutTest`)"),
        new LeftOut(
            "messages of clients and of the master altered",
            "frames have checksums, which FrameTransportTest breaks; simulated"),
        new LeftOut(
            "clock jumps",
            "one machine has one clock; the protocol reads only monotonic ones; simulated"),
        new LeftOut("znode", "ZooKeeper is taken for right, as in the paper"),
        new LeftOut(
            "NameNode and master wrong, not just gone",
            "they are taken for right, as in the paper"),
        new LeftOut("client's tree", "the client is taken for right, as in the paper"),
        new LeftOut("snapshot manifest, snapshot phase", "there are no snapshots yet"),
        new LeftOut(
            "phase 'compaction'",
            "merges what 'flush' has built, after four of those and in a quiet time: a cell could not tell whether"
                + " its fault met one; simulated, PlantedBugsTest"),
        new LeftOut(
            "phase 'replacement'",
            "'write' lasts through one in every cell whose server is killed, stands still or is complained of;"
                + " a second fault within it: simulated, ReplacementTest, ChaosTest"),
        new LeftOut(
            "three of three stand still",
            "the same as three of three killed, until they go on: then nothing was wrong"),
        new LeftOut(
            "replicas damaged while they are written",
            "DataNode and file then race; wrong bytes on their way to disk are 'writes wrong bytes to its log replica'"),
        new LeftOut(
            "disk damage during the phase 'client crash'",
            "the client reads no disk: 'mount' is what it comes to"));
  }
}
