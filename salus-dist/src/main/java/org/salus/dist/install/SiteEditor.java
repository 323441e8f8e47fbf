package org.salus.dist.install;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.salus.dist.install.SiteText.Property;
import org.salus.dist.need.Need;

/**
 * Puts settings into the text of a file, and takes them out again. All else stays byte for byte.
 * For one thread.
 */
final class SiteEditor {
  private static final String NOTE =
      "<!-- 'salus install' has added what follows; 'salus uninstall' takes it out. -->";
  private static final String INDENT = "  ";

  private final Object file;
  private final List<Edit> edits = new ArrayList<>();
  private String text;

  /**
   * @param file the name of the file, for people
   */
  SiteEditor(Object file, String text) {
    this.file = file;
    this.text = text;
  }

  String text() {
    return text;
  }

  /** The changes that were made, in their order. */
  List<Edit> edits() {
    return List.copyOf(edits);
  }

  /**
   * Adds a setting at the end.
   *
   * @param ours the part of its value that is Salus', if it is a list; else empty
   */
  void add(String key, String value, List<String> ours) throws IOException {
    openRoot();
    if (edits.stream().noneMatch(e -> e.after().contains(NOTE))) {
      insert("", indent() + NOTE, List.of());
    }
    String in = indent();
    String more = in.isEmpty() ? INDENT : in;
    String n = lineBreak();
    insert(
        key,
        in
            + "<property>"
            + n
            + in
            + more
            + "<name>"
            + escaped(key)
            + "</name>"
            + n
            + in
            + more
            + "<value>"
            + escaped(value)
            + "</value>"
            + n
            + in
            + "</property>",
        ours);
  }

  /**
   * Adds to a list that the file has.
   *
   * @param whole the list as it is to be, for a file that only includes it from another one
   */
  void extend(String key, List<String> more, String whole) throws IOException {
    SiteText site = SiteText.of(text, file);
    List<Property> there = site.properties(key);
    boolean isPlain =
        there.size() == 1
            && there.get(0).valueStart() >= 0
            && site.value(there.get(0)).indexOf('<') < 0;
    if (!isPlain) {
      add(key, whole, more); // the last value counts
      return;
    }
    Property p = there.get(0);
    String value = site.value(p);
    String kept = value.stripTrailing();
    String joined =
        (kept.isBlank() ? kept : kept + ",")
            + escaped(String.join(",", more))
            + value.substring(kept.length());
    String before = text.substring(p.start(), p.end());
    String after =
        text.substring(p.start(), p.valueStart()) + joined + text.substring(p.valueEnd(), p.end());
    text = text.substring(0, p.start()) + after + text.substring(p.end());
    edits.add(new Edit(key, before, after, more));
  }

  /** Makes room for settings in a file with none. */
  private void openRoot() throws IOException {
    SiteText site = SiteText.of(text, file);
    if (site.closing() < 0) {
      String before = text.substring(site.rootStart(), site.rootEnd());
      String after =
          before.substring(0, before.length() - 2).stripTrailing()
              + ">"
              + lineBreak()
              + "</configuration>";
      text = text.substring(0, site.rootStart()) + after + text.substring(site.rootEnd());
      edits.add(new Edit("", before, after, List.of()));
    }
  }

  /** Inserts lines before the closing tag. */
  private void insert(String key, String lines, List<String> ours) throws IOException {
    int closing = SiteText.of(text, file).closing();
    int line = text.lastIndexOf('\n', closing - 1) + 1;
    boolean hasOwnLine = text.substring(line, closing).isBlank() && line > 0;
    int at = hasOwnLine ? line : closing;
    String block = (hasOwnLine ? "" : lineBreak()) + lines + lineBreak();
    text = text.substring(0, at) + block + text.substring(at);
    edits.add(new Edit(key, "", block, ours));
  }

  /** The indentation of the last setting. */
  private String indent() throws IOException {
    Property last = SiteText.of(text, file).last();
    if (last == null) {
      return INDENT;
    }
    String before = text.substring(text.lastIndexOf('\n', last.start()) + 1, last.start());
    return before.isBlank() ? before : "";
  }

  private String lineBreak() {
    return text.contains("\r\n") ? "\r\n" : "\n";
  }

  private static String escaped(String value) {
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /**
   * Takes changes out again, the last one first. What somebody has changed since stays.
   *
   * @return a sentence for each change that stays
   */
  List<String> undo(List<Edit> all) throws IOException {
    List<String> kept = new ArrayList<>();
    for (int i = all.size() - 1; i >= 0; i--) {
      Edit e = all.get(i);
      int at = find(e);
      if (at >= 0) {
        text = text.substring(0, at) + e.before() + text.substring(at + e.after().length());
      } else if (!e.key().isEmpty()) {
        undoChanged(e, kept);
      }
    }
    return kept;
  }

  /** Where what was put stands; -1 if nowhere. A copy of a setting in a comment is none. */
  private int find(Edit e) throws IOException {
    List<Property> there = SiteText.of(text, file).properties(e.key());
    int at = text.lastIndexOf(e.after());
    while (at >= 0 && !e.key().isEmpty() && !isIn(at, at + e.after().length(), there)) {
      at = text.lastIndexOf(e.after(), at - 1);
    }
    return at;
  }

  private static boolean isIn(int from, int to, List<Property> any) {
    return any.stream().anyMatch(p -> p.start() >= from && p.end() <= to);
  }

  /** Takes out what somebody has moved or changed, as far as it is still ours. */
  private void undoChanged(Edit e, List<String> kept) throws IOException {
    SiteText site = SiteText.of(text, file);
    List<Property> there = site.properties(e.key());
    if (there.isEmpty() || there.get(there.size() - 1).valueStart() < 0) {
      return; // somebody has taken it out
    }
    Property p = there.get(there.size() - 1);
    String now = site.value(p);
    if (!e.added().isEmpty()) {
      takeOut(e, p);
      return;
    }
    Property ours = SiteText.of("<configuration>" + e.after() + "</configuration>", file).last();
    String put =
        ours == null ? "" : e.after().substring(offset(ours.valueStart()), offset(ours.valueEnd()));
    if (SiteText.plain(now).equals(SiteText.plain(put))) {
      cut(p);
    } else {
      kept.add(
          file
              + " has "
              + e.key()
              + " = "
              + SiteText.plain(now)
              + " now, not the "
              + SiteText.plain(put)
              + " that 'salus install' put there: it stays, take it out yourself if it is Salus'");
    }
  }

  /** Takes our part out of a list to which somebody has added, and the list if that was all. */
  private void takeOut(Edit e, Property p) {
    List<String> left = new ArrayList<>(Need.list(text.substring(p.valueStart(), p.valueEnd())));
    if (!left.removeAll(e.added())) {
      return; // somebody has taken it out
    }
    if (left.isEmpty() && e.before().isEmpty()) {
      cut(p);
    } else {
      text =
          text.substring(0, p.valueStart()) + String.join(",", left) + text.substring(p.valueEnd());
    }
  }

  private void cut(Property p) {
    text = text.substring(0, lineStart(p.start())) + text.substring(lineEnd(p.end()));
  }

  private static int offset(int in) {
    return in - "<configuration>".length();
  }

  /** Where the line of an element begins, if there are only blanks before it. */
  private int lineStart(int at) {
    int line = text.lastIndexOf('\n', at - 1) + 1;
    return text.substring(line, at).isBlank() ? line : at;
  }

  private int lineEnd(int at) {
    int line = text.indexOf('\n', at);
    return line >= 0 && text.substring(at, line).isBlank() ? line + 1 : at;
  }
}
