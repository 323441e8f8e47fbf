package org.salus.dist.install;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.salus.dist.install.SiteText.Property;
import org.salus.dist.need.Need;
import org.salus.dist.need.Need.Must;

/**
 * Puts settings into the text of a file, and takes them out again. All else stays byte for byte. A
 * setting that was added is Salus' only as long as it stands behind Salus' comment. For one thread.
 */
final class SiteEditor {
  /** Salus' own names of classes. */
  static final String CLASSES = "org.salus.";

  private static final String NOTE =
      "<!-- 'salus install' has added what follows; 'salus uninstall' takes it out. -->";
  private static final String INDENT = "  ";
  private static final String ROOT = "<configuration>";

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

  /** Whether some run has added settings to a text. */
  static boolean isIn(String text) {
    return text.contains(NOTE);
  }

  /**
   * Adds a setting at the end.
   *
   * @param ours the part of its value that is Salus', if it is a list; else empty
   */
  void add(String key, String value, List<String> ours) throws IOException {
    openRoot();
    if (edits.stream().noneMatch(e -> isIn(e.after()))) {
      insert("", indent() + NOTE, List.of());
    }
    String in = indent();
    String inner = lineBreak() + in + (in.isEmpty() ? INDENT : in);
    insert(
        key,
        in
            + "<property>"
            + inner
            + element("name", key)
            + inner
            + element("value", value)
            + lineBreak()
            + in
            + "</property>",
        ours);
  }

  private static String element(String name, String content) {
    return "<" + name + ">" + escaped(content) + "</" + name + ">";
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
    String blanks = value.substring(value.stripTrailing().length());
    String kept = value.replaceAll("[\\s,]+$", ""); // Hadoop ignores commas at the end only
    String joined = (kept.isEmpty() ? "" : kept + ",") + escaped(String.join(",", more)) + blanks;
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

  /** The characters in XML of any encoding. */
  private static String escaped(String value) {
    return value
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .codePoints()
        .mapToObj(c -> c > '~' ? "&#" + c + ";" : Character.toString(c))
        .collect(Collectors.joining());
  }

  /**
   * The changes that runs have made, also those on the host from which the file has come.
   *
   * @param known those of which there is a note here
   * @param needs what runs put there
   */
  List<Edit> made(List<Edit> known, List<Need> needs) throws IOException {
    if (!isIn(text)) {
      return known;
    }
    SiteText site = SiteText.of(text, file);
    List<Edit> all = new ArrayList<>(known);
    Set<String> keys = known.stream().map(Edit::key).collect(Collectors.toSet());
    int note = site.comment(NOTE);
    if (note >= 0 && known.stream().noneMatch(e -> isIn(e.after()))) {
      all.add(0, new Edit("", "", lines(note, note + NOTE.length()), List.of()));
    }
    List<Property> ours = site.behindComment(NOTE);
    for (Need n : needs) {
      List<Property> there = site.properties(n.key());
      Property last = there.isEmpty() ? null : there.get(there.size() - 1);
      boolean isOfRuns = last != null && last.valueStart() >= 0 && n.must() != Must.NOT_DIFFER_FROM;
      String value = isOfRuns ? SiteText.plain(site.value(last)).strip() : "";
      if (isOfRuns && !keys.contains(n.key()) && n.isMetBy(value)) {
        // Another value that does as well is the user's, wherever it stands.
        boolean isUsual = n.must() == Must.NAME || value.equalsIgnoreCase(n.value());
        made(n, last, isUsual && ours.contains(last)).ifPresent(all::add);
      }
    }
    return all;
  }

  /** A change that has led to this setting. */
  private Optional<Edit> made(Need n, Property p, boolean isOurs) {
    List<String> ours = n.must() == Must.NAME ? List.of(n.value()) : List.of();
    List<String> left = new ArrayList<>(Need.list(text.substring(p.valueStart(), p.valueEnd())));
    left.removeAll(ours);
    if (isOurs && (ours.isEmpty() || left.equals(Need.list(n.fallback())))) {
      return Optional.of(new Edit(n.key(), "", lines(p.start(), p.end()), ours));
    }
    if (ours.isEmpty() || !n.value().startsWith(CLASSES)) {
      return Optional.empty();
    }
    String before =
        text.substring(p.start(), p.valueStart())
            + String.join(",", left)
            + text.substring(p.valueEnd(), p.end());
    return Optional.of(new Edit(n.key(), before, text.substring(p.start(), p.end()), ours));
  }

  /**
   * Takes changes out again, the last one first. What somebody has changed since stays.
   *
   * @return a sentence for each setting that stays, by its key
   */
  Map<String, String> undo(List<Edit> all) throws IOException {
    Map<String, String> kept = new LinkedHashMap<>();
    for (int i = all.size() - 1; i >= 0; i--) {
      Edit e = all.get(i);
      if (e.key().isEmpty()) {
        undoAround(e);
      } else if (e.before().isEmpty()) {
        undoAdded(e, kept);
      } else {
        undoExtended(e);
      }
    }
    return kept;
  }

  private void undoAround(Edit e) throws IOException {
    int at = text.lastIndexOf(e.after());
    int note = SiteText.of(text, file).comment(NOTE);
    if (at >= 0) {
      replace(at, e);
    } else if (isIn(e.after()) && note >= 0) {
      cut(note, note + NOTE.length());
    }
  }

  private void undoAdded(Edit e, Map<String, String> kept) throws IOException {
    SiteText site = SiteText.of(text, file);
    List<Property> there = site.properties(e.key());
    List<Property> ours = site.behindComment(NOTE).stream().filter(there::contains).toList();
    int at = find(e, ours);
    if (at >= 0) {
      replace(at, e);
      return;
    }
    for (Property p : ours) {
      if (SiteText.plain(site.value(p)).equals(put(e))) {
        cut(p.start(), p.end());
        return;
      }
      if (p.valueStart() >= 0 && takeOut(e, p)) {
        return;
      }
    }
    if (!there.isEmpty()) {
      kept.put(
          e.key(),
          file
              + " has "
              + e.key()
              + " = "
              + SiteText.plain(site.value(there.get(there.size() - 1)))
              + " now, and 'salus install' has not put it so, or not there: it stays, take it out"
              + " yourself if it is Salus'");
    }
  }

  /** The value that was put. */
  private String put(Edit e) throws IOException {
    SiteText ours = SiteText.of(ROOT + e.after() + "</configuration>", file);
    return ours.last() == null ? "" : SiteText.plain(ours.value(ours.last()));
  }

  private void undoExtended(Edit e) throws IOException {
    List<Property> there = SiteText.of(text, file).properties(e.key());
    int at = find(e, there);
    if (at >= 0) {
      replace(at, e);
    } else if (!there.isEmpty() && there.get(there.size() - 1).valueStart() >= 0) {
      takeOut(e, there.get(there.size() - 1));
    }
  }

  /** Where what was put stands as one of these settings; -1 if nowhere. */
  private int find(Edit e, List<Property> any) {
    int at = text.lastIndexOf(e.after());
    while (at >= 0 && !isIn(at, at + e.after().length(), any)) {
      at = text.lastIndexOf(e.after(), at - 1);
    }
    return at;
  }

  private static boolean isIn(int from, int to, List<Property> any) {
    return any.stream().anyMatch(p -> p.start() >= from && p.end() <= to);
  }

  private void replace(int at, Edit e) {
    text = text.substring(0, at) + e.before() + text.substring(at + e.after().length());
  }

  /**
   * Takes our part out of a list to which somebody has added, and the list if that was all.
   *
   * @return whether there was such a part
   */
  private boolean takeOut(Edit e, Property p) {
    List<String> left = new ArrayList<>(Need.list(text.substring(p.valueStart(), p.valueEnd())));
    if (!left.removeAll(e.added().stream().map(SiteEditor::escaped).toList())) {
      return false;
    }
    if (left.isEmpty() && e.before().isEmpty()) {
      cut(p.start(), p.end());
    } else {
      text =
          text.substring(0, p.valueStart()) + String.join(",", left) + text.substring(p.valueEnd());
    }
    return true;
  }

  private void cut(int start, int end) {
    text = text.substring(0, lineStart(start)) + text.substring(lineEnd(end));
  }

  /** The lines with something that stands alone in them. */
  private String lines(int start, int end) {
    return text.substring(lineStart(start), lineEnd(end));
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
