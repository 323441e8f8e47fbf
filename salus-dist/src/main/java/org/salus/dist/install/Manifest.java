package org.salus.dist.install;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
 * What was installed in one place, so that it can be taken out again. Immutable.
 *
 * @param salus the version of Salus
 * @param jarsDir where the jars are
 * @param jars the SHA-256 of each jar by its name
 * @param site the file of settings
 * @param edits how it was changed
 * @param backups copies of that file from before it was changed
 */
record Manifest(
    String salus,
    Path jarsDir,
    Map<String, String> jars,
    Path site,
    List<Edit> edits,
    List<Path> backups) {
  private static final String FORMAT = "1";
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
      List<Path> backups = new ArrayList<>();
      for (int i = 0; p.containsKey("backup." + i); i++) {
        backups.add(Path.of(p.getProperty("backup." + i)));
      }
      return Optional.of(
          new Manifest(
              p.getProperty("salus"),
              Path.of(p.getProperty("jars")),
              jars,
              Path.of(p.getProperty("site")),
              edits,
              backups));
    } catch (RuntimeException incomplete) {
      throw damaged(home, incomplete);
    }
  }

  private static IOException damaged(Home home, Exception cause) {
    return new IOException(
        home.manifest()
            + " is damaged or of another version of Salus: put it back from a backup, or take the"
            + " jars of Salus and its settings out yourself and delete it",
        cause);
  }

  byte[] toBytes() throws IOException {
    Properties p = new Properties();
    p.setProperty("format", FORMAT);
    p.setProperty("salus", salus);
    p.setProperty("jars", jarsDir.toString());
    p.setProperty("site", site.toString());
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
      p.setProperty("backup." + n, backups.get(n).toString());
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    p.store(out, NOTE);
    return out.toByteArray();
  }
}
