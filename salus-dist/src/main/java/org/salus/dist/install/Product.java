package org.salus.dist.install;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.salus.dist.need.NeededJars;
import org.salus.dist.need.Role;

/** What Salus is put into. */
public enum Product {
  HADOOP(
      "Hadoop",
      "hdfs-site.xml",
      "etc/hadoop",
      "hadoop-env.sh",
      "hadoop-hdfs",
      "3\\.4\\.\\d.*",
      "3.4.x",
      List.of("share/hadoop/hdfs", "hadoop-hdfs", ".", "lib"),
      NeededJars.OF_HDFS,
      NeededJars.LIBRARIES_OF_HDFS,
      Set.of(Role.NAMENODE, Role.DATANODE)),
  HBASE(
      "HBase",
      "hbase-site.xml",
      "conf",
      "hbase-env.sh",
      "hbase-server",
      "2\\.6\\.\\d.*-hadoop3",
      "2.6.x-hadoop3",
      List.of("lib", "."),
      NeededJars.OF_HBASE,
      NeededJars.LIBRARIES_OF_HBASE,
      Set.of(Role.MASTER, Role.REGIONSERVER));

  private final String words;
  private final String site;
  private final String conf;
  private final String environment;
  private final String artifact;
  private final Pattern supported;
  private final String supportedWords;
  private final List<String> places;
  private final List<String> jars;
  private final List<String> libraries;
  private final Set<Role> roles;

  Product(
      String words,
      String site,
      String conf,
      String environment,
      String artifact,
      String supported,
      String supportedWords,
      List<String> places,
      List<String> jars,
      List<String> libraries,
      Set<Role> roles) {
    this.words = words;
    this.site = site;
    this.conf = conf;
    this.environment = environment;
    this.artifact = artifact;
    this.supported = Pattern.compile(supported);
    this.supportedWords = supportedWords;
    this.places = places;
    this.jars = jars;
    this.libraries = libraries;
    this.roles = roles;
  }

  /** Its name for people. */
  public String words() {
    return words;
  }

  /** The option with its directory. */
  public String option() {
    return "--" + name().toLowerCase(Locale.ROOT);
  }

  /** The name of its file of settings. */
  String site() {
    return site;
  }

  /** Where its files of settings usually are, below its directory. */
  String conf() {
    return conf;
  }

  /** The script beside its settings that says which Java it has. */
  String environment() {
    return environment;
  }

  /** The jar that shows its version. */
  String artifact() {
    return artifact;
  }

  boolean isSupported(String version) {
    return supported.matcher(version).matches();
  }

  /** The versions with which Salus works, in words. */
  String supportedWords() {
    return supportedWords;
  }

  /** Where that jar may be, below its directory. */
  List<String> places() {
    return places;
  }

  /** The jars of Salus that its daemons need. */
  List<String> jars() {
    return jars;
  }

  /** The libraries that these need. */
  List<String> libraries() {
    return libraries;
  }

  /** The daemons that read its file of settings. */
  Set<Role> roles() {
    return roles;
  }
}
