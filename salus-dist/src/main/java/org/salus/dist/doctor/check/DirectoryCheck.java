package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.salus.core.path.VolumePath;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.doctor.cluster.NameNode;
import org.salus.dist.need.Role;

/** Who may look into the directory of volumes. */
final class DirectoryCheck extends Check {
  private static final String ROOT = VolumePath.ROOT;
  private static final String MODE = "0700";

  DirectoryCheck() {
    super(
        "directory",
        ROOT + " in HDFS belongs to the user of the region servers, with mode " + MODE);
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    for (Daemon d : cluster.daemons()) {
      if (d.role() == Role.NAMENODE
          && d.answers()
          && d.answer().setting("dfs.permissions.enabled").equals("false")) {
        findings.warning(
            d.name() + " checks no permissions, so everybody can read the files of volumes",
            "set dfs.permissions.enabled to true and restart it");
      }
    }
    NameNode active = null;
    for (NameNode n : cluster.nameNodes()) {
      active = n.isActive() ? n : active;
    }
    if (active == null) {
      return; // the guard's check tells
    }
    if (active.volumes() == null) {
      findings.warning(
          "there is no " + ROOT + " in HDFS yet",
          "nothing, where the user of the region servers may write into /; otherwise run 'hdfs dfs"
              + " -mkdir /salus', '-chown' and '-chmod 700' as a superuser of HDFS");
    } else {
      directory(active.volumes(), users(cluster), findings);
    }
  }

  /** The users that run region servers; none if names of HDFS are not those of the system. */
  private static Set<String> users(Cluster cluster) throws IOException {
    Set<String> users = new TreeSet<>();
    for (Daemon d : cluster.daemons()) {
      if (d.role() == Role.REGIONSERVER && d.answers()) {
        if (d.answer().setting("hadoop.security.authentication").equals("kerberos")) {
          return Set.of();
        }
        users.add(d.answer().user());
      }
    }
    return users;
  }

  private static void directory(
      NameNode.Directory directory, Set<String> users, Findings findings) {
    if (!directory.mode().equals(MODE)) {
      findings.problem(
          ROOT + " in HDFS has mode " + directory.mode() + ", so others can look into volumes",
          "run 'hdfs dfs -chmod 700 " + ROOT + "' as " + directory.owner());
    }
    if (directory.listed()) {
      findings.problem(
          ROOT + " in HDFS has an access control list, which may let others in",
          "run 'hdfs dfs -setfacl -b " + ROOT + "' as " + directory.owner());
    }
    if (users.size() > 1) {
      findings.problem(
          "region servers run as several users: " + String.join(", ", users),
          "run all as " + directory.owner() + ", to whom " + ROOT + " belongs");
    } else if (!users.isEmpty() && !users.contains(directory.owner())) {
      String user = users.stream().collect(Collectors.joining());
      findings.problem(
          ROOT + " in HDFS belongs to " + directory.owner() + ", but region servers run as " + user,
          "run 'hdfs dfs -chown " + user + " " + ROOT + "' as a superuser of HDFS");
    }
  }
}
