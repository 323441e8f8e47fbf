package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.need.HBaseZooKeeper;
import org.salus.dist.need.Role;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.config.PartSettings;
import org.salus.host.config.ServerSettings;
import org.salus.host.config.Setting;

/** Settings that differ between daemons, or contradict each other. */
final class AgreementCheck extends Check {
  /** Those on which all parts of a cluster must agree, and that can be seen. */
  private static final Set<String> OF_ALL = Set.of(ClusterSettings.MIN_MEMBERS.key());

  /** A server's own; or compared in another way. */
  private static final Set<String> OF_ONE =
      Set.of(
          "salus.server.datanode",
          ServerSettings.PORT.key(),
          ClientSettings.QUORUM.key(),
          ClusterSettings.SECRET.key());

  /** Of HDFS and HBase: they change what happens to volumes. */
  private static final Set<String> OF_A_ROLE =
      Set.of("hbase.rootdir", "hbase.wal.hsync", "dfs.datanode.synconclose", "dfs.replication");

  AgreementCheck() {
    super(
        "agreement",
        "daemons agree on ZooKeeper and on the settings of Salus, and these do not contradict"
            + " each other");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    List<Daemon> answering = cluster.daemons().stream().filter(Daemon::answers).toList();
    for (String key : OF_ALL) {
      differences(answering, key, "all daemons", findings);
    }
    for (Role role : Role.values()) {
      List<Daemon> same = answering.stream().filter(d -> d.role() == role).toList();
      for (String key : keys(same)) {
        differences(same, key, "every " + role.words(), findings);
      }
    }
    zooKeeper(cluster, answering, findings);
  }

  /** The settings of which somebody has a value. */
  private static Set<String> keys(List<Daemon> daemons) {
    Set<String> compared = new TreeSet<>(OF_A_ROLE);
    Stream.of(ClientSettings.ALL, ClusterSettings.ALL, ServerSettings.ALL, PartSettings.ALL)
        .flatMap(List::stream)
        .map(Setting::key)
        .filter(key -> !OF_ONE.contains(key) && !OF_ALL.contains(key))
        .forEach(compared::add);
    return daemons.stream()
        .flatMap(d -> d.answer().settings().keySet().stream())
        .filter(compared::contains)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static void differences(List<Daemon> daemons, String key, String who, Findings findings) {
    Map<String, String> byValue =
        daemons.stream()
            .collect(
                Collectors.groupingBy(
                    d -> valueOf(d, key),
                    TreeMap::new,
                    Collectors.mapping(Daemon::name, Collectors.joining(", "))));
    if (byValue.size() > 1) {
      findings.warning(
          key
              + " differs: "
              + byValue.entrySet().stream()
                  .map(v -> (v.getKey().isEmpty() ? "not set" : v.getKey()) + " at " + v.getValue())
                  .collect(Collectors.joining("; ")),
          "give " + who + " the same value, and restart those that you changed");
    }
  }

  private static String valueOf(Daemon d, String key) {
    String value = d.answer().setting(key);
    return value.isEmpty() && key.equals(ClusterSettings.MIN_MEMBERS.key())
        ? ClusterSettings.MIN_MEMBERS.fallback()
        : value;
  }

  private static void zooKeeper(Cluster cluster, List<Daemon> daemons, Findings findings)
      throws IOException {
    Set<String> ours = servers(cluster.zookeeper(), "");
    Set<String> hosts = ours.stream().map(Hosts::of).collect(Collectors.toCollection(TreeSet::new));
    for (Daemon d : daemons) {
      quorums(d).values().forEach(q -> servers(q, d.host()).forEach(s -> hosts.add(Hosts.of(s))));
    }
    Map<String, String> ips = cluster.addresses(hosts);
    Map<Set<String>, Map<String, List<String>>> namesByServers = new LinkedHashMap<>();
    for (Daemon d : daemons) {
      quorums(d)
          .forEach(
              (key, quorum) ->
                  namesByServers
                      .computeIfAbsent(known(servers(quorum, d.host()), ips), s -> new TreeMap<>())
                      .computeIfAbsent(key + " = " + quorum, k -> new ArrayList<>())
                      .add(d.name()));
    }
    if (namesByServers.isEmpty()) {
      return; // the check of answers tells
    }
    String words =
        namesByServers.values().stream()
            .map(AgreementCheck::words)
            .collect(Collectors.joining("; "));
    if (namesByServers.size() > 1) {
      zooKeeperDiffers(areOfOne(namesByServers.keySet()), "daemons differ: " + words, findings);
    }
    Set<String> theirs =
        namesByServers.keySet().stream().flatMap(Set::stream).collect(Collectors.toSet());
    Set<String> own = known(ours, ips);
    if (!theirs.containsAll(own)) { // fewer are fine
      zooKeeperDiffers(
          areOfOne(List.of(own, theirs)),
          "this program was told ZooKeeper is at "
              + cluster.zookeeper()
              + ", and daemons have "
              + words,
          findings);
    }
  }

  private static String words(Map<String, List<String>> namesBySetting) {
    return namesBySetting.entrySet().stream()
        .map(s -> s.getKey() + " at " + String.join(", ", s.getValue()))
        .collect(Collectors.joining("; "));
  }

  /** Whether all may be of one ZooKeeper: those who know some of its servers work with it, too. */
  private static boolean areOfOne(Collection<Set<String>> quorums) {
    return quorums.stream()
        .allMatch(a -> quorums.stream().noneMatch(b -> Collections.disjoint(a, b)));
  }

  private static void zooKeeperDiffers(boolean areOfOne, String what, Findings findings) {
    String wayOut =
        "name the same servers of ZooKeeper everywhere, and restart those that you changed";
    if (areOfOne) {
      findings.warning(what, wayOut);
    } else {
      findings.problem(what, wayOut);
    }
  }

  /** What a daemon's settings say of where ZooKeeper is, by key. */
  private static Map<String, String> quorums(Daemon d) {
    Map<String, String> quorums = new TreeMap<>();
    String own = d.answer().setting(ClientSettings.QUORUM.key());
    boolean isHBase = d.role() == Role.MASTER || d.role() == Role.REGIONSERVER;
    if (!isHBase && d.role() == Role.NAMENODE || !own.isEmpty()) {
      quorums.put(
          ClientSettings.QUORUM.key(), own.isEmpty() ? ClientSettings.QUORUM.fallback() : own);
    }
    if (isHBase) {
      quorums.put(HBaseZooKeeper.HOSTS, HBaseZooKeeper.servers(d.answer()::setting));
    }
    return quorums;
  }

  /**
   * The servers of a quorum.
   *
   * @param reader the host that reads it: there, {@code localhost} is that host
   */
  private static Set<String> servers(String quorum, String reader) {
    int path = quorum.indexOf('/');
    return Arrays.stream((path < 0 ? quorum : quorum.substring(0, path)).split(","))
        .map(String::strip)
        .filter(s -> s.contains(":"))
        .map(
            s ->
                Hosts.isLoopback(Hosts.of(s)) && !reader.isEmpty() && !Hosts.isLoopback(reader)
                    ? reader + s.substring(s.lastIndexOf(':'))
                    : s)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The same with IP addresses, where they are known. */
  private static Set<String> known(Collection<String> servers, Map<String, String> ips) {
    return servers.stream()
        .map(
            s -> {
              String ip = ips.getOrDefault(Hosts.of(s), "");
              return ip.isEmpty() ? s : ip + s.substring(s.lastIndexOf(':'));
            })
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
