package org.salus.dist.install;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The text of a file of settings in Hadoop's XML, and where its parts stand in it. One character is
 * one byte of the file (ISO 8859-1), so that whatever is not changed stays as it is. Immutable.
 */
final class SiteText {
  /**
   * A setting.
   *
   * @param start where its element begins
   * @param end behind its element
   * @param name the key; empty if it is not plain text in an element of its own
   * @param valueStart where its value begins; -1 if it has none in an element of its own
   * @param valueEnd behind its value
   */
  record Property(int start, int end, String name, int valueStart, int valueEnd) {}

  /** An element that is open while the text is read. */
  private record Open(String name, int start, int content) {}

  private record Comment(int start, int end) {}

  private static final String COMMENT = "<!--";
  private static final String COMMENT_END = "-->";
  private static final String CDATA = "<![CDATA[";
  private static final String CDATA_END = "]]>";

  private final String text;
  private final List<Property> properties = new ArrayList<>();
  private final List<Comment> comments = new ArrayList<>();
  private final Deque<Open> open = new ArrayDeque<>();
  private String name = "";
  private int valueStart = -1;
  private int valueEnd = -1;
  private int rootStart = -1;
  private int rootEnd = -1;

  private SiteText(String text) {
    this.text = text;
  }

  /**
   * Finds the parts of a text.
   *
   * @param file its name, for people
   * @throws IOException when it is not understood, with a one-line message
   */
  static SiteText of(String text, Object file) throws IOException {
    SiteText site = new SiteText(text);
    if (!site.scan() || site.rootEnd < 0) {
      throw new IOException(
          file
              + " is not understood: it must be one element <configuration> with properties, in"
              + " UTF-8");
    }
    return site;
  }

  private boolean scan() {
    int at = 0;
    while ((at = text.indexOf('<', at)) >= 0) {
      int next;
      if (text.startsWith(COMMENT, at)) {
        next = behind(COMMENT_END, at + COMMENT.length());
        comments.add(new Comment(at, next));
      } else if (text.startsWith(CDATA, at)) {
        next = behind(CDATA_END, at + CDATA.length());
      } else if (text.startsWith("<?", at)) {
        next = behind("?>", at);
      } else if (text.startsWith("<!", at)) {
        int brackets = text.indexOf('[', at);
        int simple = behind(">", at);
        next = brackets >= 0 && brackets < simple ? behind(">", behind("]", at)) : simple;
      } else {
        next = tagEnd(at);
        if (next > 0 && !tag(at, next)) {
          return false;
        }
      }
      if (next <= at) {
        return false;
      }
      at = next;
    }
    return open.isEmpty();
  }

  /** The index behind these characters; 0 if there are none. */
  private int behind(String what, int from) {
    int found = text.indexOf(what, from);
    return found < 0 ? 0 : found + what.length();
  }

  /** The index behind a tag, whose attributes may have any characters in quotes. */
  private int tagEnd(int from) {
    char quote = 0;
    for (int i = from; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return i + 1;
      }
    }
    return 0;
  }

  /** Takes a tag. Returns whether it is in its place. */
  private boolean tag(int start, int end) {
    boolean closes = text.charAt(start + 1) == '/';
    boolean isEmpty = text.charAt(end - 2) == '/';
    String element =
        text.substring(start + (closes ? 2 : 1), end - (isEmpty ? 2 : 1)).strip().split("\\s")[0];
    if (closes) {
      return !open.isEmpty() && open.peek().name().equals(element) && close(open.pop(), start, end);
    }
    if (element.equals("property")) {
      name = "";
      valueStart = -1;
      valueEnd = -1;
    }
    if (open.isEmpty()) {
      rootStart = start;
    }
    Open opened = new Open(element, start, end);
    if (isEmpty) {
      return close(opened, start, end);
    }
    open.push(opened);
    return true;
  }

  /**
   * Takes the end of an element.
   *
   * @param start where its closing tag begins; an empty one's only tag begins before its content
   */
  private boolean close(Open of, int start, int end) {
    boolean isPart =
        !open.isEmpty() && open.peek().name().equals("property") && of.content() <= start;
    if (open.isEmpty()) {
      rootEnd = end;
      return of.name().equals("configuration");
    }
    if (of.name().equals("property")) {
      properties.add(new Property(of.start(), end, name, valueStart, valueEnd));
    } else if (isPart && of.name().equals("name")) {
      name = plain(text.substring(of.content(), start));
    } else if (isPart && of.name().equals("value")) {
      valueStart = of.content();
      valueEnd = start;
    }
    return true;
  }

  /** The content of a file with this text. */
  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The characters of an element; empty if there is more in it than characters. */
  static String plain(String raw) {
    return raw.indexOf('<') >= 0
        ? ""
        : raw.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&apos;", "'")
            .replace("&amp;", "&")
            .strip();
  }

  /** The settings of this name, in their order. */
  List<Property> properties(String key) {
    return properties.stream().filter(p -> p.name().equals(key)).toList();
  }

  /** All settings, in their order. */
  List<Property> properties() {
    return List.copyOf(properties);
  }

  /** Where the last comment with this text begins; -1 if there is none. */
  int comment(String whole) {
    return comments.stream()
        .filter(c -> isText(c, whole))
        .mapToInt(Comment::start)
        .reduce(-1, (first, last) -> last);
  }

  /** The settings behind such comments, up to the first thing that is none. */
  List<Property> behindComment(String whole) {
    List<Property> all = new ArrayList<>();
    for (Comment c : comments) {
      int end = isText(c, whole) ? c.end() : text.length();
      for (Property p : properties) {
        if (p.start() >= end && text.substring(end, p.start()).isBlank()) {
          all.add(p);
          end = p.end();
        }
      }
    }
    return all;
  }

  private boolean isText(Comment c, String whole) {
    return text.substring(c.start(), c.end()).equals(whole);
  }

  /** The value of a setting as it stands there. */
  String value(Property p) {
    return p.valueStart() < 0 ? "" : text.substring(p.valueStart(), p.valueEnd());
  }

  /** The last setting of all; null if there is none. */
  Property last() {
    return properties.isEmpty() ? null : properties.get(properties.size() - 1);
  }

  /** Where the root's closing tag begins; -1 if the root is one empty tag. */
  int closing() {
    int at = text.lastIndexOf("</", rootEnd - 1);
    return at < rootStart ? -1 : at;
  }

  /** Where the root begins. */
  int rootStart() {
    return rootStart;
  }

  /** Behind the root. */
  int rootEnd() {
    return rootEnd;
  }
}
