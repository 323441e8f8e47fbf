package org.salus.monitor;

/** Writes HTML. All text is escaped: names of volumes and hosts may be anything. */
final class Html {
  private final StringBuilder to = new StringBuilder();

  /** Writes markup as it is. Only for what stands in the code. */
  Html raw(String markup) {
    to.append(markup);
    return this;
  }

  /** Writes text, or a value in quotation marks. */
  Html text(Object value) {
    String s = String.valueOf(value);
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      switch (c) {
        case '&' -> to.append("&amp;");
        case '<' -> to.append("&lt;");
        case '>' -> to.append("&gt;");
        case '"' -> to.append("&quot;");
        case '\'' -> to.append("&#39;");
        default -> to.append(c < ' ' && c != '\n' && c != '\t' ? '\ufffd' : c);
      }
    }
    return this;
  }

  /** A cell of a table with text. */
  Html cell(Object value) {
    return raw("<td>").text(value).raw("</td>");
  }

  /** The first row of a table. */
  Html head(String... names) {
    raw("<thead><tr>");
    for (String name : names) {
      raw("<th scope=\"col\">").text(name).raw("</th>");
    }
    return raw("</tr></thead>");
  }

  @Override
  public String toString() {
    return to.toString();
  }
}
