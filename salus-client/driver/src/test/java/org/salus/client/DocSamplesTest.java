package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java samples of the pages compile as they stand there. */
class DocSamplesTest {
  private static final Path ROOT = Path.of("..", "..");
  private static final Pattern SAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

  /** What a sample may use beside what it says. */
  private static final String BEFORE =
      """
      import java.net.ServerSocket;
      import java.nio.ByteBuffer;
      import java.nio.channels.*;
      import java.time.Duration;
      import java.util.*;
      import java.util.concurrent.*;
      import org.salus.client.*;
      import org.salus.client.nio.*;
      class Sample {
        static int port;
        static SalusClient client;
        static byte[] data;
        static ByteBuffer record;
        static Volume log;
        static Volume volume;
        static long offset;
        static long length;
        static void sample() throws Exception {
      """;

  @TempDir Path temp;

  @Test
  void samplesOfTheReadmeAndOfTheDriversPageCompile() throws Exception {
    assertThat(samples("README.md")).hasSize(1).allSatisfy(this::compiles);
    assertThat(samples("docs/driver.md")).hasSizeGreaterThan(4).allSatisfy(this::compiles);
  }

  private static List<String> samples(String page) throws Exception {
    List<String> found = new ArrayList<>();
    Matcher m = SAMPLE.matcher(Files.readString(ROOT.resolve(page)));
    while (m.find()) {
      found.add(m.group(1));
    }
    return found;
  }

  private void compiles(String sample) throws Exception {
    Path source = Files.writeString(temp.resolve("Sample.java"), BEFORE + sample + "  }\n}\n");
    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager files = javac.getStandardFileManager(null, null, null)) {
      boolean done =
          javac
              .getTask(
                  said,
                  files,
                  null,
                  List.of("-d", temp.toString(), "-proc:none", "-cp", classPath()),
                  null,
                  files.getJavaFileObjects(source))
              .call();
      assertThat(done).as(sample + said).isTrue();
    }
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }
}
