package org.salus.benchmarks.faults.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.salus.benchmarks.faults.Cell;
import org.salus.benchmarks.faults.Cell.Action;
import org.salus.benchmarks.faults.CellPhase;
import org.salus.benchmarks.faults.hdfs.ReplicaDamage;
import org.salus.benchmarks.faults.hdfs.ReplicaDamage.Place;
import org.salus.benchmarks.faults.store.Target;
import org.salus.benchmarks.faults.store.Target.Kind;
import org.salus.benchmarks.faulty.ServerFault;

/** The rows of the paper's Figure 7, and the faults of region servers in its §5.1 one by one. */
public final class FaultRows {
  private static final String FIGURE = "Figure 7";
  private static final String SECTION = "§5.1";
  private static final String BEYOND = "beyond";
  private static final String RIGHT = "fresh, ordered";
  private static final String LOST = "fresh*, lost";
  private static final String CORRUPTED = "corrupted, lost";
  private static final String NOT_SAID = "";

  private FaultRows() {}

  /** All of them, in the paper's order. */
  public static List<FaultRow> all() {
    List<FaultRow> rows = new ArrayList<>();
    client(rows);
    dataNodes(rows);
    regionServers(rows);
    section51(rows);
    beyond(rows);
    return List.copyOf(rows);
  }

  private static void client(List<FaultRow> rows) {
    Cell crash =
        new Cell(
            "client killed and started again",
            "client",
            "client",
            CellPhase.CLIENT_CRASH,
            0,
            false,
            s -> {});
    row(rows, FIGURE, "client crashes and restarts", RIGHT, "fresh, not ordered", crash);
  }

  private static void dataNodes(List<FaultRow> rows) {
    for (int n = 1; n <= 2; n++) {
      int k = n;
      row(
          rows,
          FIGURE,
          n + " DataNode" + s(n) + " gone for good",
          RIGHT,
          RIGHT,
          new Cell(
              "killed", "DataNode", of(n), CellPhase.WRITE, n, false, s -> s.killDataNodes(k)));
    }
    for (int n = 1; n <= 2; n++) {
      row(
          rows,
          FIGURE,
          "log corrupt on " + n + " replica" + s(n),
          RIGHT,
          RIGHT,
          damaged(Kind.LOG, n, CellPhase.RECOVERY, false));
      row(
          rows,
          FIGURE,
          "checkpoint corrupt on " + n + " replica" + s(n),
          RIGHT,
          RIGHT,
          damaged(Kind.CHECKPOINT, n, CellPhase.READ, false));
    }
    row(
        rows,
        FIGURE,
        "3 DataNodes with arbitrary failures",
        LOST,
        LOST,
        damaged(Kind.LOG, 3, CellPhase.RECOVERY, true),
        damaged(Kind.CHECKPOINT, 3, CellPhase.READ, true));
  }

  private static void regionServers(List<FaultRow> rows) {
    for (int n = 1; n <= 3; n++) {
      row(
          rows,
          FIGURE,
          n + " region server" + s(n) + " gone for good",
          RIGHT,
          n == 1 ? RIGHT : NOT_SAID,
          killed(n, "region server", 0));
    }
    for (int n = 1; n <= 3; n++) {
      Cell wrong = faulty(n, CellPhase.FLUSH, ServerFault.WRONG_READS, ServerFault.WRONG_LOG);
      Cell files =
          new Cell(
              "wrong answers, and junk in its DataNode's files",
              "region server and DataNode",
              of(n),
              CellPhase.READ,
              n,
              true,
              tell(n, ServerFault.WRONG_READS)
                  .then(damage(Kind.LOG, n, true))
                  .then(damage(Kind.CHECKPOINT, n, true)));
      row(
          rows,
          FIGURE,
          n + " region server" + s(n) + " arbitrarily faulty, with their DataNodes",
          n < 3 ? RIGHT : LOST,
          n == 1 ? CORRUPTED : NOT_SAID,
          wrong,
          files);
    }
    for (int n = 1; n <= 2; n++) {
      Cell withheld =
          new Cell(
              "client killed, a suffix withheld from DataNodes",
              "client and region server",
              of(n),
              CellPhase.CLIENT_CRASH,
              n,
              false,
              tell(n, ServerFault.WITHHOLDS));
      row(
          rows,
          FIGURE,
          "client crash, and "
              + n
              + " faulty region server"
              + s(n)
              + " that kept a suffix from their DataNodes",
          RIGHT,
          n == 1 ? CORRUPTED : NOT_SAID,
          withheld);
    }
  }

  private static void section51(List<FaultRow> rows) {
    for (int n = 1; n <= 2; n++) {
      faults(
          rows,
          n,
          "corrupt data in memory",
          faulty(n, CellPhase.READ, ServerFault.WRONG_READS),
          faulty(n, CellPhase.READ, ServerFault.STALE_READS),
          faulty(n, CellPhase.WRITE, ServerFault.FORGES));
      faults(
          rows,
          n,
          "write corrupt data to HDFS",
          faulty(n, CellPhase.RECOVERY, ServerFault.WRONG_LOG),
          faulty(n, CellPhase.FLUSH, ServerFault.WRONG_CHECKPOINTS));
      faults(rows, n, "refuse", faulty(n, CellPhase.WRITE, ServerFault.REFUSES));
      faults(rows, n, "forward out of order", faulty(n, CellPhase.WRITE, ServerFault.OUT_OF_ORDER));
      faults(
          rows,
          n,
          "ask the NameNode to delete files",
          faulty(n, CellPhase.WRITE, ServerFault.DELETES),
          faulty(n, CellPhase.FLUSH, ServerFault.DELETES));
    }
  }

  private static void faults(List<FaultRow> rows, int n, String what, Cell... cells) {
    row(
        rows,
        SECTION,
        n + " region server" + s(n) + ": " + what,
        RIGHT,
        n == 1 ? CORRUPTED : NOT_SAID,
        cells);
  }

  private static void beyond(List<FaultRow> rows) {
    for (int n = 1; n <= 2; n++) {
      row(
          rows,
          BEYOND,
          "log corrupt on " + n + " replica" + s(n) + ", checksums valid",
          NOT_SAID,
          NOT_SAID,
          damaged(Kind.LOG, n, CellPhase.RECOVERY, true));
      row(
          rows,
          BEYOND,
          "checkpoint corrupt on " + n + " replica" + s(n) + ", checksums valid",
          NOT_SAID,
          NOT_SAID,
          damaged(Kind.CHECKPOINT, n, CellPhase.READ, true));
    }
    row(
        rows,
        BEYOND,
        "3 region servers gone for good, with the DataNode of one",
        NOT_SAID,
        NOT_SAID,
        killed(3, "region server, with the DataNode of one", 1));
    row(
        rows,
        BEYOND,
        "1 faulty region server that kept a suffix from its DataNode, while the right ones are away for a moment",
        NOT_SAID,
        NOT_SAID,
        away(tell(1, ServerFault.WITHHOLDS), ServerFault.WITHHOLDS.label()));
    row(
        rows,
        BEYOND,
        "a forged record of who serves a region",
        NOT_SAID,
        NOT_SAID,
        falsified(Target.WrongRecord.FORGED));
    row(
        rows,
        BEYOND,
        "an old record of who serves a region, put back",
        NOT_SAID,
        NOT_SAID,
        falsified(Target.WrongRecord.OLD));
  }

  /** One server is wrong for good, and the others are away for a moment. */
  static Cell away(Action wrong, String what) {
    return new Cell(what, "region server", of(1), CellPhase.RIGHT_ONES_AWAY, 1, false, wrong);
  }

  /** Who serves a region stands in ZooKeeper for a volume, and in hbase:meta for a table. */
  private static Cell falsified(Target.WrongRecord how) {
    return new Cell(
        how.name().toLowerCase(Locale.ROOT) + " record",
        "ZooKeeper or hbase:meta",
        "region",
        CellPhase.WRITE,
        0,
        false,
        s -> s.falsify(how));
  }

  private static void row(
      List<FaultRow> rows,
      String where,
      String what,
      String paperSalus,
      String paperHBase,
      Cell... cells) {
    rows.add(new FaultRow(where, what, List.of(cells), paperSalus, paperHBase));
  }

  /**
   * Region servers are killed, and some of their DataNodes. What is on the others can be read, so
   * no more is promised to be lost than with two members.
   */
  private static Cell killed(int n, String what, int dataNodes) {
    return new Cell(
        "killed",
        what,
        of(n),
        CellPhase.WRITE,
        Math.min(n, 2),
        false,
        s -> {
          s.killServers(n);
          s.killDataNodes(dataNodes);
        });
  }

  private static Cell damaged(Kind kind, int n, CellPhase phase, boolean fit) {
    String place =
        (kind == Kind.LOG ? "log" : "checkpoint") + " body" + (fit ? ", checksums valid" : "");
    return new Cell("junk", place, of(n), phase, n, true, damage(kind, n, fit));
  }

  private static Action damage(Kind kind, int n, boolean fit) {
    return s -> s.damage(kind, ReplicaDamage.JUNK, Place.BODY, n, fit);
  }

  private static Cell faulty(int n, CellPhase phase, ServerFault... kinds) {
    return new Cell(
        String.join(", ", List.of(kinds).stream().map(ServerFault::label).toList()),
        "region server",
        of(n),
        phase,
        n,
        true,
        tell(n, kinds));
  }

  static Action tell(int n, ServerFault... kinds) {
    return s -> {
      for (ServerFault kind : kinds) {
        s.tell(n, kind);
      }
    };
  }

  private static String of(int n) {
    return n + " of 3";
  }

  private static String s(int n) {
    return n == 1 ? "" : "s";
  }
}
