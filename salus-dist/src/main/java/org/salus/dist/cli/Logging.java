package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Properties;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.PropertyConfigurator;
import org.apache.log4j.RollingFileAppender;

/** Configures where the log goes. The console is for the user, so libraries never write to it. */
public final class Logging {
  private static final String PATTERN = "%d{ISO8601} %-5p [%t] %c{2}: %m%n";

  private Logging() {}

  /** Logs warnings of Salus to the error stream; with {@code verbose} also those of libraries. */
  public static void quiet(boolean verbose) {
    console(verbose, new Properties());
  }

  /**
   * Same as {@link #quiet}, without warnings about connections. For commands whose result says
   * which server does not answer.
   */
  static void errors(boolean verbose) {
    Properties properties = new Properties();
    if (!verbose) {
      properties.setProperty("log4j.logger.org.salus.host.netty", "ERROR");
    }
    console(verbose, properties);
  }

  private static void console(boolean verbose, Properties properties) {
    properties.setProperty("log4j.rootLogger", verbose ? "WARN, console" : "OFF, console");
    properties.setProperty("log4j.logger.org.salus", "WARN");
    properties.setProperty("log4j.appender.console", "org.apache.log4j.ConsoleAppender");
    properties.setProperty("log4j.appender.console.target", "System.err");
    layout(properties, "console");
    PropertyConfigurator.configure(properties);
  }

  /**
   * Logs warnings, with {@code verbose} more, to {@code salus.log} in a directory. Sends standard
   * output to {@code salus.out} beside it.
   */
  public static void toDirectory(Path dir, boolean verbose) throws IOException {
    toFile(dir.resolve("salus.log"), verbose);
    System.setOut(
        new PrintStream(
            Files.newOutputStream(
                dir.resolve("salus.out"),
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE),
            true,
            StandardCharsets.UTF_8));
  }

  /**
   * Logs warnings, with {@code verbose} more, to a file. There are at most five, of 16 MB each.
   *
   * @throws IOException if it cannot be written
   */
  static void toFile(Path file, boolean verbose) throws IOException {
    toFile(file, verbose, "16MB", 4);
  }

  /** Same for a file that may be in memory: there are at most three, of 1 MB each. */
  static void toSmallFile(Path file, boolean verbose) throws IOException {
    toFile(file, verbose, "1MB", 2);
  }

  private static void toFile(Path file, boolean verbose, String size, int older)
      throws IOException {
    // Not by properties: in these, log4j would put in values for ${name}, and cut off blanks.
    RollingFileAppender appender = new RollingFileAppender();
    appender.setLayout(new PatternLayout(PATTERN));
    appender.setMaxFileSize(size);
    appender.setMaxBackupIndex(older);
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      appender.setFile(file.toString(), true, false, 0);
    } catch (IOException failed) {
      throw new IOException("cannot write the log " + file + ": " + failed.getMessage(), failed);
    }
    Properties properties = new Properties();
    properties.setProperty("log4j.rootLogger", verbose ? "INFO" : "WARN");
    properties.setProperty("log4j.logger.org.salus", "INFO");
    // This class says what a master or a region waits for when it starts.
    properties.setProperty("log4j.logger.org.apache.hadoop.hbase.util.RecoverLeaseFSUtils", "INFO");
    PropertyConfigurator.configure(properties);
    Logger.getRootLogger().addAppender(appender);
  }

  private static void layout(Properties properties, String appender) {
    properties.setProperty(
        "log4j.appender." + appender + ".layout", "org.apache.log4j.PatternLayout");
    properties.setProperty("log4j.appender." + appender + ".layout.ConversionPattern", PATTERN);
  }
}
