package org.salus.dist.map;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A table of mappings. Each line has a volume and options of {@code salus map}, with blanks between
 * them. A word in double quotes may have blanks. The rest of a line after a word that begins with
 * {@code #} is a comment.
 */
public final class Saltab {
  private static final Pattern WORD =
      Pattern.compile("\\G\\s*(?:\"([^\"]*)\"|([^\\s\"#][^\\s\"]*))(?=\\s|$)");
  private static final Pattern REST = Pattern.compile("\\s*(#.*)?");

  private Saltab() {}

  /**
   * A line that is no comment.
   *
   * @param place the file and the number of the line, for messages
   * @param text the whole line
   */
  public record Line(String place, String text) {
    /**
     * Its words.
     *
     * @throws IOException when it is wrong; with file and line
     */
    public List<String> words() throws IOException {
      return Saltab.words(place, text);
    }
  }

  /**
   * Reads a table.
   *
   * @throws IOException when it cannot be read
   */
  public static List<Line> read(Path file) throws IOException {
    List<String> texts;
    try {
      // What is not UTF-8 spoils its own line only.
      texts = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList();
    } catch (NoSuchFileException none) {
      throw new IOException(
          "cannot read " + file + ": there is no such file; write a line for each volume", none);
    } catch (IOException failed) {
      throw new IOException("cannot read " + file + ": " + failed.getMessage(), failed);
    }
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      String text =
          i == 0 ? texts.get(i).replaceFirst("^\uFEFF", "") : texts.get(i); // an editor's mark
      if (!REST.matcher(text).matches()) {
        lines.add(new Line(file + ":" + (i + 1), text));
      }
    }
    return lines;
  }

  private static List<String> words(String place, String text) throws IOException {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(text);
    int end = 0;
    while (word.find()) {
      words.add(word.group(1) != null ? word.group(1) : word.group(2));
      end = word.end();
    }
    if (!REST.matcher(text.substring(end)).matches()) {
      throw new IOException(
          place + ": '" + text.substring(end).strip() + "': put a whole word in double quotes");
    }
    return words;
  }
}
