package org.salus.dist.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.salus.dist.data.SettingsFile;
import org.salus.dist.need.NeededJars;

/**
 * A Hadoop or HBase in a directory. Immutable.
 *
 * @param product what it is
 * @param root its directory, not a link to it
 * @param jars where jars of Salus go
 * @param conf the directory of its settings, below its own directory if it was named so
 * @param site its file of settings, not a link to it
 */
public record Home(Product product, Path root, Path jars, Path conf, Path site) {
  /** The settings of all parts of Hadoop. Those of HDFS and HBase go before them. */
  private static final String CORE = "core-site.xml";

  /**
   * Finds out where its parts are, and whether Salus works with it.
   *
   * @param conf the directory of its settings; null for the usual one
   * @throws IOException when it is none that Salus can be put into; the message says what to do
   */
  public static Home find(Product product, Path root, Path conf) throws IOException {
    Path dir = real(root);
    Path place = place(product, dir);
    String version = NeededJars.version(names(place), product.artifact()).orElseThrow();
    if (!product.isSupported(version)) {
      throw new IOException(
          dir
              + " has "
              + product.words()
              + " "
              + version
              + ", and Salus works with "
              + product.supportedWords());
    }
    Path lib = place.resolve("lib");
    Path confDir = conf == null ? dir.resolve(product.conf()) : below(dir, root, conf);
    Path site = confDir.resolve(product.site());
    if (!Files.isReadable(site)) {
      throw new IOException(
          (Files.exists(site) ? "cannot read " + site : "there is no " + site)
              + "; say where the settings are with "
              + product.option()
              + "-conf DIR");
    }
    Home home =
        new Home(product, dir, Files.isDirectory(lib) ? lib : place, confDir, site.toRealPath());
    home.java();
    Sharing.requireOneSite(dir, home.site());
    return home;
  }

  /** The place of this directory for who takes out what is installed there, whatever it is. */
  public static Home installed(Product product, Path root) throws IOException {
    Path dir = real(root);
    if (!Files.isDirectory(dir)) {
      throw new IOException("there is no directory " + dir);
    }
    Home unknown = new Home(product, dir, dir, dir, dir.resolve(product.site()));
    Optional<Manifest> manifest = Manifest.read(unknown);
    return manifest.isEmpty() ? unknown : unknown.with(manifest.get());
  }

  private Home with(Manifest m) throws IOException {
    Path confDir = root.resolve(m.conf());
    return new Home(product, root, root.resolve(m.jarsDir()), confDir, site(confDir));
  }

  /** Where a note says that the settings are; the name of a link if there is nothing. */
  Path site(Path confDir) throws IOException {
    Path named = confDir.resolve(product.site());
    return Files.exists(named) ? named.toRealPath() : named;
  }

  private static Path real(Path dir) throws IOException {
    return Files.exists(dir) ? dir.toRealPath() : dir.toAbsolutePath().normalize();
  }

  /** A directory by its name below another one, if it is there, whatever links lead to that. */
  private static Path below(Path dir, Path named, Path conf) throws IOException {
    Path way = named.toAbsolutePath().normalize();
    Path all = conf.toAbsolutePath().normalize();
    if (all.startsWith(way)) {
      return dir.resolve(way.relativize(all));
    }
    Path found = real(conf);
    return found.startsWith(dir) ? found : all;
  }

  /** A path as a note says it: relative if it is below the place. */
  Path noted(Path path) {
    return path.startsWith(root) ? root.relativize(path) : path;
  }

  /** A sentence if nobody can tell which Java starts it. */
  Optional<String> java() throws IOException {
    return JavaHome.look(product, conf.resolve(product.environment()));
  }

  /** The same place with the settings that it had before a run that was cut off. */
  Home before() throws IOException {
    Path aside = Disk.aside(site);
    return Disk.isThere(aside) ? new Home(product, root, jars, conf, aside) : this;
  }

  /** The settings that its daemons read. */
  public Map<String, String> settings() throws IOException {
    return settings(Files.readAllBytes(site));
  }

  /** The same, as if its file had this content. */
  Map<String, String> settings(byte[] content) throws IOException {
    Path core = core();
    return SettingsFile.read(Files.isReadable(core) ? List.of(core) : List.of(), site, content);
  }

  /** The file that has a setting. */
  Path holder(String key) throws IOException {
    return SettingsFile.read(site).containsKey(key) ? site : core();
  }

  private Path core() {
    return conf.resolve(CORE);
  }

  private static Path place(Product product, Path dir) throws IOException {
    for (String sub : product.places()) {
      Path place = dir.resolve(sub).normalize();
      if (NeededJars.version(names(place), product.artifact()).isPresent()) {
        return place;
      }
    }
    throw new IOException(
        (Files.isDirectory(dir)
                ? dir
                    + " has no "
                    + product.artifact()
                    + "-VERSION.jar in any of "
                    + product.places()
                : "there is no directory " + dir)
            + "; give the directory of an unpacked "
            + product.words()
            + " with "
            + product.option()
            + ofPackages(product, dir));
  }

  /** Packages of Linux part Hadoop into several directories. */
  private static String ofPackages(Product product, Path dir) {
    Path beside = dir.resolveSibling(product.artifact());
    return Files.isDirectory(beside) ? ", here perhaps " + beside : "";
  }

  /**
   * The jars on the class path of its daemons, by their names, in directories that are no links.
   */
  Map<String, Path> classPath() throws IOException {
    Path place = jars.endsWith("lib") && product == Product.HADOOP ? jars.getParent() : jars;
    List<Path> dirs = new ArrayList<>(List.of(place, place.resolve("lib")));
    if (product == Product.HADOOP) {
      // An unpacked Hadoop, and packages of Linux.
      for (String beside : List.of("common", "hadoop")) {
        dirs.add(place.resolveSibling(beside));
        dirs.add(place.resolveSibling(beside).resolve("lib"));
      }
    } else {
      dirs.add(place.resolve("client-facing-thirdparty"));
    }
    Map<String, Path> all = new TreeMap<>();
    for (Path dir : dirs) {
      for (String name : names(dir)) {
        all.putIfAbsent(name, dir.toRealPath().resolve(name));
      }
    }
    return all;
  }

  private static List<String> names(Path dir) throws IOException {
    if (!Files.isDirectory(dir)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(dir)) {
      return files
          .map(f -> f.getFileName().toString())
          .filter(n -> n.endsWith(".jar"))
          .sorted()
          .toList();
    }
  }

  /** Where it is noted what was installed. */
  Path state() {
    return root.resolve("salus-installed").resolve(product.option().substring(2));
  }

  Path manifest() {
    return state().resolve(Manifest.FILE);
  }

  Path journal() {
    return state().resolve("journal");
  }
}
