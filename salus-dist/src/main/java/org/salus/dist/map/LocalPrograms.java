package org.salus.dist.map;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The programs on the path of this process. They keep no directory busy. Thread-safe. */
public final class LocalPrograms implements Programs {
  /** The output goes to a file, since a daemon that the program leaves may hold a pipe open. */
  @Override
  public Answer run(List<String> command, Duration atMost) throws IOException {
    Path output = Files.createTempFile("salus", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(new File("/"))
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
      if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new IOException(command.get(0) + " did not end within " + atMost.toSeconds() + " s");
      }
      return new Answer(
          process.exitValue(), Files.readString(output, StandardCharsets.ISO_8859_1).strip());
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + command.get(0) + " ran", cut);
    } finally {
      Files.delete(output);
    }
  }
}
