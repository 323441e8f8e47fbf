package org.salus.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * The results of several benchmarks on one page. The page needs no other file, except for its links
 * to the raw figures. Not thread-safe.
 */
public final class HtmlReport {
  private static final String STYLE =
      "body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
          + "pre{overflow-x:auto;background:#f4f4f4;padding:1em}img{max-width:100%}.failed{color:#a00}";

  private final List<String> lines = new ArrayList<>();

  /**
   * @param about the machine and the run, in one line
   */
  public HtmlReport(String title, String about) {
    lines.add("<!DOCTYPE html>");
    lines.add(
        "<html lang=\"en\"><head><meta charset=\"utf-8\"><title>"
            + escaped(title)
            + "</title><style>"
            + STYLE
            + "</style></head><body>");
    lines.add("<h1>" + escaped(title) + "</h1>");
    lines.add("<p>" + escaped(about) + "</p>");
  }

  /**
   * Adds the result of a benchmark.
   *
   * @param command the command that measures it again
   * @param table the result for people
   * @param files the files that it wrote; the page shows plots (svg) and links to the others by
   *     name
   */
  public void add(String title, String command, String table, List<Path> files) throws IOException {
    begin(title, command);
    for (Path file : files) {
      if (file.toString().endsWith(".svg")) {
        // Each plot is an image of its own, because two plots may use the same names inside.
        lines.add(
            "<img alt=\""
                + escaped(title)
                + "\" src=\"data:image/svg+xml;base64,"
                + Base64.getEncoder().encodeToString(Files.readAllBytes(file))
                + "\">");
      }
    }
    lines.add("<pre>" + escaped(table) + "</pre>");
    lines.add(
        "<p>"
            + String.join(
                ", ",
                files.stream()
                    .map(f -> escaped(f.getFileName().toString()))
                    .map(f -> "<a href=\"" + f + "\">" + f + "</a>")
                    .toList())
            + "</p>");
  }

  /** Adds a benchmark that failed. */
  public void addFailure(String title, String command, String why) {
    begin(title, command);
    lines.add("<p class=\"failed\">" + escaped(why) + "</p>");
  }

  private void begin(String title, String command) {
    lines.add("<h2>" + escaped(title) + "</h2>");
    lines.add("<p><code>" + escaped(command) + "</code></p>");
  }

  /** Writes the page. Never overwrites a file. */
  public void write(Path file) throws IOException {
    List<String> page = new ArrayList<>(lines);
    page.add("</body></html>");
    Files.write(file, page, StandardOpenOption.CREATE_NEW);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
