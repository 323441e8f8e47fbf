package org.salus.dist.doctor.check;

import static org.salus.dist.need.Role.MASTER;

import java.io.IOException;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.need.Need;
import org.salus.dist.need.Need.Must;
import org.salus.dist.need.Needs;
import org.salus.host.config.ClusterSettings;

/**
 * Settings that Salus needs of a daemon, as that daemon has them. Long leases are not among them: a
 * guard does not start without.
 */
final class KeysCheck extends Check {
  KeysCheck() {
    super("keys", "every daemon has the settings that Salus needs of it");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    for (Daemon d : cluster.daemons()) {
      if (d.answers()) {
        Needs.KEYS.stream()
            .filter(n -> n.role() == d.role())
            .filter(n -> !n.isMetBy(d.answer().setting(n.key())))
            .forEach(n -> tell(d, n, findings));
        fewestMembers(d, findings);
      }
    }
  }

  private static void tell(Daemon d, Need need, Findings findings) {
    String value = d.answer().setting(need.key());
    String what =
        d.name()
            + " has "
            + need.key()
            + (value.isEmpty() ? " not set" : " = " + value)
            + ", so "
            + need.without();
    String wayOut =
        need.must() == Must.NOT_DIFFER_FROM
            ? "take " + need.key() + " out, or use another HDFS for volumes"
            : (need.must() == Must.NAME ? "add " + need.value() + " to it" : set(need))
                + " and restart the daemon";
    if (need.stops()) {
      findings.problem(what, wayOut);
    } else {
      findings.warning(what, wayOut);
    }
  }

  private static String set(Need need) {
    return "set it to " + need.value();
  }

  private static void fewestMembers(Daemon d, Findings findings) {
    String key = ClusterSettings.MIN_MEMBERS.key();
    if (d.role() == MASTER && d.answer().setting(key).equals("1")) {
      findings.warning(
          d.name()
              + " has "
              + key
              + " = 1, so nobody can tell whether a region's last member is right",
          "set it to 2 and restart all servers");
    }
  }
}
