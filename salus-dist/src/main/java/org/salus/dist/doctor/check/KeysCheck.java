package org.salus.dist.doctor.check;

import static org.salus.dist.doctor.cluster.Role.DATANODE;
import static org.salus.dist.doctor.cluster.Role.MASTER;
import static org.salus.dist.doctor.cluster.Role.NAMENODE;
import static org.salus.dist.doctor.cluster.Role.REGIONSERVER;

import java.io.IOException;
import java.util.List;
import org.salus.datanode.hdfs.GuardedDataset;
import org.salus.datanode.hdfs.MemberPlacement;
import org.salus.datanode.hdfs.ZooKeeperGuard;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.doctor.cluster.InfoAnswer;
import org.salus.dist.doctor.cluster.Role;
import org.salus.host.config.ClusterSettings;
import org.salus.host.config.PartSettings;
import org.salus.master.VolumeKeeper;
import org.salus.master.hbase.SalusBalancer;
import org.salus.master.hbase.SalusMasterCoprocessor;
import org.salus.monitor.hbase.SalusPages;
import org.salus.regionserver.RegionServerEngine;
import org.salus.regionserver.hbase.SalusRegionCoprocessor;
import org.salus.regionserver.hbase.SalusRegionServerCoprocessor;

/**
 * Settings that Salus needs of a daemon, as that daemon has them. Long leases are not among them: a
 * guard does not start without.
 */
final class KeysCheck extends Check {
  /** What a value must be. */
  private enum Must {
    /** Any value; the one here is usual. */
    BE_SET {
      @Override
      boolean holds(InfoAnswer of, String key, String value) {
        return !of.setting(key).isEmpty();
      }
    },
    BE {
      @Override
      boolean holds(InfoAnswer of, String key, String value) {
        return of.setting(key).equalsIgnoreCase(value);
      }
    },
    /** The list has this and perhaps more. */
    NAME {
      @Override
      boolean holds(InfoAnswer of, String key, String value) {
        return of.list(key).contains(value);
      }
    },
    /** Absent or this. */
    NOT_DIFFER_FROM {
      @Override
      boolean holds(InfoAnswer of, String key, String value) {
        return of.setting(key).isEmpty() || of.setting(key).equalsIgnoreCase(value);
      }
    };

    abstract boolean holds(InfoAnswer of, String key, String value);
  }

  /**
   * A need.
   *
   * @param without what is so if it is not met
   */
  private record Need(
      Role role, String key, Must must, String value, Finding.Severity severity, String without) {}

  private static final List<Need> NEEDS =
      List.of(
          problem(
              NAMENODE,
              PartSettings.GUARD.key(),
              Must.BE_SET,
              ZooKeeperGuard.class.getName(),
              "every change of volumes' files is refused"),
          problem(
              NAMENODE,
              "dfs.block.replicator.classname",
              Must.BE,
              MemberPlacement.class.getName(),
              "replicas of volumes are put where no member is"),
          problem(
              DATANODE,
              "dfs.datanode.fsdataset.factory",
              Must.BE,
              GuardedDataset.class.getName(),
              "whoever reaches the DataNode can cut replicas of volumes"),
          problem(
              DATANODE,
              "dfs.data.transfer.protection",
              Must.NOT_DIFFER_FROM,
              "",
              "region servers cannot write replicas: Salus has no SASL there"),
          problem(
              DATANODE,
              "dfs.encrypt.data.transfer",
              Must.NOT_DIFFER_FROM,
              "false",
              "region servers cannot write replicas: Salus has no encryption there"),
          problem(
              MASTER,
              "hbase.coprocessor.master.classes",
              Must.NAME,
              SalusMasterCoprocessor.class.getName(),
              "no master looks after volumes"),
          problem(
              MASTER,
              PartSettings.MASTER.key(),
              Must.BE_SET,
              VolumeKeeper.class.getName(),
              "no master looks after volumes"),
          warning(
              MASTER,
              "hbase.master.loadbalancer.class",
              Must.BE,
              SalusBalancer.class.getName(),
              "HBase moves regions away from their data"),
          warning(
              MASTER,
              "hbase.master.scp.retain.assignment",
              Must.BE,
              "true",
              "regions come back on other servers than those with their data"),
          problem(
              REGIONSERVER,
              "hbase.coprocessor.regionserver.classes",
              Must.NAME,
              SalusRegionServerCoprocessor.class.getName(),
              "the server hosts no members"),
          problem(
              REGIONSERVER,
              "hbase.coprocessor.user.region.classes",
              Must.NAME,
              SalusRegionCoprocessor.class.getName(),
              "HBase's clients can write to the tables of volumes"),
          problem(
              REGIONSERVER,
              PartSettings.REGION_SERVER.key(),
              Must.BE_SET,
              RegionServerEngine.class.getName(),
              "the server hosts no members"),
          page(MASTER),
          page(REGIONSERVER));

  KeysCheck() {
    super("keys", "every daemon has the settings that Salus needs of it");
  }

  private static Need problem(Role role, String key, Must must, String value, String without) {
    return new Need(role, key, must, value, Finding.Severity.PROBLEM, without);
  }

  private static Need warning(Role role, String key, Must must, String value, String without) {
    return new Need(role, key, must, value, Finding.Severity.WARNING, without);
  }

  private static Need page(Role role) {
    return warning(
        role,
        "hbase.http.filter.initializers",
        Must.NAME,
        SalusPages.class.getName(),
        "there is no page /salus, and no metrics for Prometheus");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    for (Daemon d : cluster.daemons()) {
      if (d.answers()) {
        NEEDS.stream()
            .filter(n -> n.role() == d.role())
            .filter(n -> !n.must().holds(d.answer(), n.key(), n.value()))
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
    if (need.severity() == Finding.Severity.PROBLEM) {
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
