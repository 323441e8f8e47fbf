package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.Optional;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.need.Role;

/** A master that does not look after volumes, or is kept from it. */
final class MasterCheck extends Check {
  private static final String ROUNDS = "salus_master_rounds_total";
  private static final String TROUBLE = "salus_trouble{kind=\"";

  MasterCheck() {
    super("master", "an active master looks after volumes, and nothing keeps it from that");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    Optional<Daemon> active = cluster.daemons().stream().filter(Daemon::active).findFirst();
    if (active.isEmpty()) {
      findings.problem(
          "no HBase master is active, so no lost member is replaced",
          "start one, or see in its log what it waits for");
      return;
    }
    Daemon master = active.get();
    if (master.info().isEmpty()) {
      findings.problem(
          unknown(master) + ": it has no info server",
          "set " + AnswersCheck.portKey(Role.MASTER) + " to a port and restart it");
    }
    if (!master.answers()) {
      return; // the check of answers tells
    }
    rounds(master, findings);
    master
        .answer()
        .metrics()
        .forEach(
            (name, value) -> {
              if (name.startsWith(TROUBLE) && value > 0) {
                findings.problem(
                    master.name()
                        + " says that something outside of Salus keeps volumes from what they should"
                        + " do: "
                        + name.substring(TROUBLE.length(), name.lastIndexOf('"')),
                    "'salus volume list' and the master's log say what it is, and the way out");
              }
            });
  }

  /** A page that cannot be read says nothing of volumes; one without Salus does. */
  private static void rounds(Daemon master, Findings findings) {
    if (!master.answer().noMetrics().isEmpty()) {
      findings.warning(
          unknown(master) + ": " + master.answer().noMetrics(),
          "see its hbase.http.filter.initializers and its log");
    } else if (!master.answer().metrics().containsKey(ROUNDS)) {
      findings.problem(
          master.name()
              + " shows no metrics of Salus at /salus/metrics, so it may not look after"
              + " volumes",
          "see in its log why Salus does not start");
    }
  }

  private static String unknown(Daemon master) {
    return "whether " + master.name() + " looks after volumes cannot be known";
  }
}
