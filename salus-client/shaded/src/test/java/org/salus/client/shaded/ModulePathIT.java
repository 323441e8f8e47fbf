package org.salus.client.shaded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Checks that an application on the module path uses the jar, and gets nothing else with it. */
class ModulePathIT {
  private static final String MODULE =
      "module app { requires org.salus.client; requires org.slf4j; }";
  private static final String MAIN =
      """
      package app;

      import java.util.Map;
      import org.salus.client.SalusClient;
      import org.salus.client.SalusException;

      public class Main {
        public static void main(String[] args) {
          try {
            SalusClient.connect(
                Map.of("salus.zookeeper.quorum", "127.0.0.1:1", "salus.client.connect.timeout", "2s"));
          } catch (SalusException.Unavailable none) {
            System.out.println(Main.class.getModule().getName() + ": " + none.getMessage());
          }
        }
      }
      """;

  @TempDir Path dir;

  private static Path jar() throws Exception {
    Path target = jarOf(ModulePathIT.class).getParent();
    try (Stream<Path> files = Files.list(target)) {
      return files
          .filter(
              f ->
                  f.getFileName()
                      .toString()
                      .matches("salus-client-shaded-[\\w.]+(-SNAPSHOT)?\\.jar"))
          .findFirst()
          .orElseThrow(() -> new IOException("there is no jar in " + target));
    }
  }

  /** Where a class was found. */
  private static Path jarOf(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  @Test
  void anApplicationOnTheModulePathConnects() throws Exception {
    Path sources = Files.createDirectories(dir.resolve("src/app"));
    Files.writeString(sources.resolveSibling("module-info.java"), MODULE);
    Files.writeString(sources.resolve("Main.java"), MAIN);
    String path = jar() + ":" + jarOf(LoggerFactory.class);
    Path classes = dir.resolve("classes");
    int compiled =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                System.out,
                System.err,
                "--module-path",
                path,
                "-d",
                classes.toString(),
                sources.resolveSibling("module-info.java").toString(),
                sources.resolve("Main.java").toString());
    assertThat(compiled).isZero();
    Process run =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "--module-path",
                path + ":" + classes,
                "-m",
                "app/app.Main")
            .start();
    String out = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(run.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(out).startsWith("app: ZooKeeper at 127.0.0.1:1 did not answer within 2000 ms");
  }

  @Test
  void theJarHasNoClassThatAnApplicationMayBringItself() throws Exception {
    try (JarFile jar = new JarFile(jar().toFile())) {
      List<String> foreign =
          jar.stream()
              .map(JarEntry::getName)
              .filter(name -> name.endsWith(".class") && !name.startsWith("org/salus/"))
              .toList();
      assertThat(foreign).isEmpty();
    }
  }
}
