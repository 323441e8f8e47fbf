package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.List;
import org.salus.core.Reason;
import org.salus.datanode.hdfs.GuardPlugin;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.NameNode;
import org.salus.dist.doctor.cluster.NameNode.Guard;

/** NameNodes without a guard, also those that others would see only after a fail-over. */
final class GuardCheck extends Check {
  GuardCheck() {
    super("guard", "every NameNode, also a standby, guards the files of volumes");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    List<NameNode> all = cluster.nameNodes();
    for (NameNode n : all) {
      if (n.guard() == Guard.ABSENT && n.isActive()) {
        findings.problem(n.name() + ": " + Reason.unguarded().words(), "");
      } else if (n.guard() == Guard.ABSENT) {
        findings.problem(
            n.name()
                + " has no guard; no server would notice that for some seconds after a fail-over,"
                + " and nothing would guard the files",
            "name "
                + GuardPlugin.class.getName()
                + " in dfs.namenode.plugins of its hdfs-site.xml and restart it before it becomes"
                + " active");
      } else if (n.guard() == Guard.UNKNOWN) {
        findings.problem(
            n.name() + " does not say whether it has a guard: " + n.silence(),
            "see whether it runs, and what its log says");
      }
    }
    if (all.stream().noneMatch(NameNode::isActive)
        && all.stream().anyMatch(n -> n.guard() != Guard.UNKNOWN)) {
      findings.problem(
          "no NameNode is active, so HDFS takes no changes",
          "see the log of its fail-over controller, or run 'hdfs haadmin -transitionToActive'");
    }
  }
}
