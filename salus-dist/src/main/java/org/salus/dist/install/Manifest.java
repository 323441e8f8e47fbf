package org.salus.dist.install;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import org.salus.dist.need.Need;

/**
 * What was installed in one place, so that it can be taken out again. Paths below the place are
 * relative to it, so that it may be moved or copied. Immutable.
 *
 * @param salus the version of Salus
 * @param jarsDir where the jars are
 * @param jars the SHA-256 of each jar that was copied, by its name
 * @param conf the directory of the settings
 * @param site their file, not a link to it
 * @param edits how they were changed
 * @param backups names of copies of their file from before it was changed
 */
record Manifest(
    String salus,
    Path jarsDir,
    Map<String, String> jars,
    Path conf,
    Path site,
    List<Edit> edits,
    List<String> backups) {
  /** Its name. */
  static final String FILE = "manifest";

  private static final String FORMAT = "1";
  private static final String SUM = "sha256";
  private static final String SITE = "site";
  private static final String NOTE =
      "Written by 'salus install', and read by 'salus uninstall'. Do not change it.";

  Manifest {
    jars = new TreeMap<>(jars);
    edits = List.copyOf(edits);
    backups = List.copyOf(backups);
  }

  /** That of a place; empty if Salus is not installed there. */
  static Optional<Manifest> read(Home home) throws IOException {
    Properties p = new Properties();
    try {
      p.load(new ByteArrayInputStream(Files.readAllBytes(home.manifest())));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    } catch (IllegalArgumentException damaged) {
      throw damaged(home, damaged);
    }
    if (!FORMAT.equals(p.getProperty("format"))) {
      throw damaged(home, null);
    }
    Object sum = p.remove(SUM);
    if (!sum(p).equals(sum)) {
      throw damaged(home, null);
    }
    try {
      Map<String, String> jars = new TreeMap<>();
      for (int i = 0; p.containsKey("jar." + i); i++) {
        jars.put(p.getProperty("jar." + i), p.getProperty("jar." + i + ".sha256"));
      }
      List<Edit> edits = new ArrayList<>();
      for (int i = 0; p.containsKey("edit." + i); i++) {
        String e = "edit." + i;
        edits.add(
            new Edit(
                p.getProperty(e),
                p.getProperty(e + ".before"),
                p.getProperty(e + ".after"),
                Need.list(p.getProperty(e + ".added"))));
      }
      List<String> backups = new ArrayList<>();
      for (int i = 0; p.containsKey("backup." + i); i++) {
        backups.add(p.getProperty("backup." + i));
      }
      Manifest read =
          new Manifest(
              p.getProperty("salus"),
              Path.of(p.getProperty("jars")),
              jars,
              Path.of(p.getProperty("conf")),
              Path.of(p.getProperty(SITE)),
              edits,
              backups);
      read.requireInPlace(home.product());
      return Optional.of(read);
    } catch (RuntimeException incomplete) {
      throw damaged(home, incomplete);
    }
  }

  /** Nothing but jars and backups of the place is deleted, whoever has written this. */
  private void requireInPlace(Product product) {
    boolean isInPlace =
        !jarsDir.isAbsolute()
            && !jarsDir.normalize().startsWith("..")
            && jars.keySet().stream().allMatch(n -> isName(n) && n.endsWith(".jar"))
            && backups.stream().allMatch(n -> isName(n) && n.startsWith(product.site()));
    if (!isInPlace) {
      throw new IllegalArgumentException("it names files of others");
    }
  }

  private static boolean isName(String text) {
    return text.indexOf('/') < 0;
  }

  private static IOException damaged(Home home, Exception cause) {
    return new IOException(
        home.manifest()
            + " is damaged or of another version of Salus: put it back from a backup, or take the"
            + " jars of Salus and its settings out yourself and delete it",
        cause);
  }

  /** The SHA-256 of all that it says. */
  private static String sum(Properties p) throws IOException {
    String all = new TreeMap<>(p).toString();
    return Jars.hash(all.getBytes(StandardCharsets.UTF_8));
  }

  byte[] toBytes() throws IOException {
    Properties p = new Properties();
    p.setProperty("format", FORMAT);
    p.setProperty("salus", salus);
    p.setProperty("jars", jarsDir.toString());
    p.setProperty("conf", conf.toString());
    p.setProperty(SITE, site.toString());
    int i = 0;
    for (Map.Entry<String, String> jar : jars.entrySet()) {
      p.setProperty("jar." + i, jar.getKey());
      p.setProperty("jar." + i++ + ".sha256", jar.getValue());
    }
    for (int n = 0; n < edits.size(); n++) {
      Edit e = edits.get(n);
      p.setProperty("edit." + n, e.key());
      p.setProperty("edit." + n + ".before", e.before());
      p.setProperty("edit." + n + ".after", e.after());
      p.setProperty("edit." + n + ".added", String.join(",", e.added()));
    }
    for (int n = 0; n < backups.size(); n++) {
      p.setProperty("backup." + n, backups.get(n));
    }
    p.setProperty(SUM, sum(p));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    p.store(out, NOTE);
    return out.toByteArray();
  }
}
