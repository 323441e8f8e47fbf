package org.salus.dist.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.salus.dist.need.HBaseZooKeeper;
import org.salus.dist.need.Need;
import org.salus.dist.need.Need.Must;
import org.salus.dist.need.Needs;
import org.salus.dist.need.Role;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;

/** The settings that each place is to have, those among them that depend on the cluster. */
final class Wanted {
  private static final String QUORUM = ClientSettings.QUORUM.key();
  private static final String SECRET = ClusterSettings.SECRET.key();
  private static final String DISTRIBUTED = "hbase.cluster.distributed";
  private static final String ROOT = "hbase.rootdir";
  private static final String LOGS = "logs";

  private final Map<Product, Map<String, String>> settings = new HashMap<>();
  private final Map<Product, Home> homes = new HashMap<>();
  private final Wishes wishes;

  /**
   * Reads the settings of some places.
   *
   * @throws IOException when a file is unreadable, or Salus cannot work with what it says
   */
  Wanted(List<Home> all, Wishes wishes) throws IOException {
    this.wishes = wishes;
    for (Home home : all) {
      homes.put(home.product(), home);
      settings.put(home.product(), home.settings());
    }
    requireApart(all);
    requireHdfs();
    requireOneSecret();
  }

  private String value(Product product, String key) {
    return settings.getOrDefault(product, Map.of()).getOrDefault(key, "").strip();
  }

  /** One product's jars would be taken out with the other's. */
  private static void requireApart(List<Home> all) throws IOException {
    Set<Path> places = new HashSet<>();
    for (Home home : all) {
      if (!places.add(home.jars().toRealPath())) {
        throw new IOException(
            "Hadoop and HBase have their jars in one directory, "
                + home.jars()
                + ": give each a directory of its own");
      }
    }
  }

  private void requireHdfs() throws IOException {
    Home hbase = homes.get(Product.HBASE);
    if (hbase == null) {
      return;
    }
    if (!value(Product.HBASE, DISTRIBUTED).equalsIgnoreCase("true")) {
      throw new IOException(
          hbase.site()
              + " has no "
              + DISTRIBUTED
              + " = true, so this HBase runs in one process without HDFS: run it on HDFS first");
    }
    String root = value(Product.HBASE, ROOT);
    if (!root.isEmpty() && !root.startsWith("hdfs:")) {
      throw new IOException(
          hbase.site() + " has " + ROOT + " = " + root + ", and Salus needs an HBase on HDFS");
    }
  }

  private void requireOneSecret() throws IOException {
    String ofHdfs = value(Product.HADOOP, SECRET);
    String ofHBase = value(Product.HBASE, SECRET);
    if (homes.size() == Product.values().length && !ofHdfs.equals(ofHBase)) {
      throw new IOException(
          homes.get(Product.HADOOP).site()
              + " and "
              + homes.get(Product.HBASE).site()
              + " have not the same "
              + SECRET
              + ": give both the same one");
    }
  }

  /** What a place needs, by key. */
  List<Need> needs(Product product) throws IOException {
    List<Need> all = new ArrayList<>();
    Needs.ALL.stream().filter(n -> product.roles().contains(n.role())).forEach(all::add);
    if (product == Product.HADOOP) {
      localReader().ifPresent(all::add);
    }
    all.add(quorum(product));
    Map<String, Need> byKey = new LinkedHashMap<>();
    all.forEach(n -> byKey.putIfAbsent(n.key(), n));
    return List.copyOf(byKey.values());
  }

  private Optional<Need> localReader() throws IOException {
    if (wishes.regionServerUser() != null || homes.containsKey(Product.HBASE)) {
      Optional<String> user = regionServerUser();
      if (user.isEmpty()) {
        throw new IOException(
            signOfUser()
                + " belongs to root: say who runs the region servers with --hbase-user USER");
      }
      return user.map(Needs::localReader);
    }
    if (value(Product.HADOOP, Needs.LOCAL_READERS).isEmpty()) {
      throw new IOException("say who runs the region servers with --hbase-user USER");
    }
    return Optional.empty();
  }

  /** Who runs the region servers of the HBase that is among the places; empty if nobody knows. */
  Optional<String> regionServerUser() throws IOException {
    if (wishes.regionServerUser() != null) {
      return Optional.of(wishes.regionServerUser());
    }
    Path owned = signOfUser();
    String owner = Files.getOwner(owned).getName();
    boolean isUnpackers = owner.equals("root") && !owned.endsWith(LOGS);
    return isUnpackers ? Optional.empty() : Optional.of(owner);
  }

  /** The files of HBase's archive may be root's; its logs are not. */
  private Path signOfUser() {
    Path root = homes.get(Product.HBASE).root();
    Path logs = root.resolve(LOGS);
    return Files.isDirectory(logs) ? logs : root;
  }

  /** Sentences about what was guessed. */
  List<String> notes() throws IOException {
    if (wishes.regionServerUser() != null || homes.size() < Product.values().length) {
      return List.of();
    }
    return List.of(
        regionServerUser().orElseThrow()
            + " is taken for who runs the region servers, because "
            + signOfUser()
            + " is his; if that is wrong, say it with --hbase-user USER");
  }

  /** Where ZooKeeper is. Other servers of the same ZooKeeper do as well. */
  private Need quorum(Product product) throws IOException {
    String there = value(product, QUORUM);
    String wanted = wantedQuorum();
    if (wanted.contains("${")) {
      throw new IOException(
          "ZooKeeper is named by a variable ("
              + wanted
              + "): give its servers with --zookeeper HOST:PORT[,...]");
    }
    boolean isSame = !there.isEmpty() && !Collections.disjoint(Need.list(there), Need.list(wanted));
    return new Need(
        product == Product.HADOOP ? Role.NAMENODE : Role.MASTER,
        QUORUM,
        Must.BE,
        isSame ? there : wanted,
        "",
        true,
        "Salus and HBase do not meet in ZooKeeper");
  }

  private String wantedQuorum() throws IOException {
    if (wishes.zookeeper() != null) {
      requireThatOfHBase(wishes.zookeeper());
      return wishes.zookeeper();
    }
    if (homes.containsKey(Product.HBASE)) {
      return HBaseZooKeeper.servers(key -> value(Product.HBASE, key));
    }
    String there = value(Product.HADOOP, QUORUM);
    if (there.isEmpty()) {
      throw new IOException("say where HBase's ZooKeeper is with --zookeeper HOST:PORT[,...]");
    }
    return there;
  }

  private void requireThatOfHBase(String wished) throws IOException {
    String ofHBase = HBaseZooKeeper.servers(key -> value(Product.HBASE, key));
    boolean isKnown =
        !value(Product.HBASE, HBaseZooKeeper.HOSTS).isEmpty() && !ofHBase.contains("${");
    if (isKnown && Collections.disjoint(Need.list(ofHBase), Need.list(wished))) {
      throw new IOException(
          homes.get(Product.HBASE).site()
              + " names ZooKeeper "
              + ofHBase
              + ", and --zookeeper names "
              + wished
              + ": Salus and HBase would not meet there; leave --zookeeper out, or give the same"
              + " names");
    }
  }

  /**
   * Says which needs contradict what a file has, in one message.
   *
   * @throws IOException when there are such
   */
  static void requireNone(Home home, Map<String, String> values, List<Need> contradicted)
      throws IOException {
    if (contradicted.isEmpty()) {
      return;
    }
    List<String> lines = new ArrayList<>();
    for (Need n : contradicted) {
      String has =
          home.holder(n.key())
              + " has "
              + n.key()
              + " = "
              + values.get(n.key())
              + ", and Salus needs ";
      lines.add(
          n.must() == Must.NOT_DIFFER_FROM
              ? has
                  + (n.value().isEmpty() ? "none" : n.value())
                  + ", or "
                  + n.without()
                  + ": take it out, or use another cluster for volumes"
              : has
                  + (n.must() == Must.BE_AT_LEAST ? "at least " : "")
                  + n.value()
                  + ", or "
                  + n.without()
                  + ": change it there, or take it out so that it is set");
    }
    throw new IOException(String.join(System.lineSeparator(), lines));
  }

  /** The keys whose values differ, but these. */
  static Set<String> changed(
      Map<String, String> before, Map<String, String> after, List<Need> but) {
    Set<String> keys = new TreeSet<>(before.keySet());
    keys.addAll(after.keySet());
    keys.removeIf(k -> Objects.equals(before.get(k), after.get(k)));
    but.forEach(n -> keys.remove(n.key()));
    return keys;
  }
}
