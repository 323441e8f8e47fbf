package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.dist.data.SettingsFile;
import org.salus.dist.need.Need;

class SiteEditorTest {
  private static final String FILE = "site.xml";
  private static final String KEY = "some.list";
  private static final String LIST = "    <value>a.B, c.D</value>";
  private static final String PLAIN =
      """
      <?xml version="1.0"?>
      <?xml-stylesheet type="text/xsl" href="configuration.xsl"?>
      <!-- <configuration> <property><name>some.list</name><value>old</value></property> -->
      <configuration>

      	<property >
          <name>some.list</name>
          <value>a.B, c.D</value>
          <final>true</final> <!-- ours -->
      	</property>
      </configuration>
      <!-- the end -->
      """;

  private static Map<String, String> read(String text) throws IOException {
    return SettingsFile.read(Path.of(FILE), text.getBytes(StandardCharsets.UTF_8));
  }

  private static String undone(String text, List<Edit> edits) throws IOException {
    SiteEditor editor = new SiteEditor(FILE, text);
    assertThat(editor.undo(edits)).isEmpty();
    return editor.text();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        PLAIN,
        "<configuration></configuration>",
        "<configuration/>",
        "<configuration />\n",
        "<?xml version=\"1.0\"?>\r\n<configuration>\r\n</configuration>\r\n",
        "<configuration>\n  </configuration>",
        "<!DOCTYPE configuration [<!ENTITY e \"x\">]>\n<configuration a='>'>\n<property><name>x</name><value><![CDATA[</configuration>]]></value></property></configuration>",
      })
  void whatIsPutIsReadAndWhatIsTakenOutLeavesTheFileAsItWas(String text) throws IOException {
    SiteEditor editor = new SiteEditor(FILE, text);
    editor.add("k", "a<b>&c", List.of());
    editor.add("l", "1", List.of());
    boolean hasList = text.contains(LIST);
    if (hasList) {
      editor.extend(KEY, List.of("e.F"), "unused");
    }
    Map<String, String> after = read(editor.text());
    assertThat(after).containsEntry("k", "a<b>&c").containsEntry("l", "1");
    read(text).forEach((k, v) -> assertThat(after.get(k)).startsWith(v));
    assertThat(after.get(KEY)).isEqualTo(hasList ? "a.B, c.D,e.F" : null);
    assertThat(undone(editor.text(), editor.edits())).isEqualTo(text);
  }

  @Test
  void newSettingsLookLikeTheOthers() throws IOException {
    SiteEditor editor = new SiteEditor(FILE, PLAIN);
    editor.add("k", "v", List.of());
    assertThat(editor.text())
        .contains(
            """
            	</property>
            	<!-- 'salus install' has added what follows; 'salus uninstall' takes it out. -->
            	<property>
            		<name>k</name>
            		<value>v</value>
            	</property>
            </configuration>
            <!-- the end -->
            """);
  }

  @Test
  void anEmptyListIsNotGivenAComma() throws IOException {
    SiteEditor editor = new SiteEditor(FILE, PLAIN.replace("a.B, c.D", " "));
    editor.extend(KEY, List.of("e.F"), "unused");
    assertThat(editor.text()).contains("<value>e.F </value>");
  }

  @Test
  void aListThatIsWrittenInAnotherWayIsOverridden() throws IOException {
    for (String other :
        List.of(
            "<property name='some.list' value='x'/>",
            "<property><name>some.list</name><value><!-- a -->x</value></property>",
            "<property><name>some.list</name><value>y</value></property>"
                + "<property><name>some.list</name><value>x</value></property>")) {
      String text = "<configuration>" + other + "</configuration>";
      SiteEditor editor = new SiteEditor(FILE, text);
      editor.extend(KEY, List.of("e.F"), "x,e.F");
      assertThat(read(editor.text())).containsEntry(KEY, "x,e.F");
      assertThat(undone(editor.text(), editor.edits())).isEqualTo(text);
    }
  }

  @Test
  void whatSomebodyHasChangedSinceStaysAndTheRestGoes() throws IOException {
    SiteEditor editor = new SiteEditor(FILE, PLAIN);
    editor.add("kept", "1", List.of());
    editor.add("moved", "2", List.of());
    editor.add("gone", "3", List.of());
    editor.add("fresh.list", "usual,ours", List.of("ours"));
    editor.extend(KEY, List.of("e.F"), "unused");
    String changed =
        editor
            .text()
            .replace("<value>1</value>", "<value>one</value>")
            .replace("<value>2</value>", "<value> 2\n</value>")
            .replace("<name>gone</name>", "<name>another</name>")
            .replace("usual,ours", "usual,ours,theirs")
            .replace("a.B, c.D,e.F", "a.B,e.F,g.H");
    SiteEditor undoing = new SiteEditor(FILE, changed);
    assertThat(undoing.undo(editor.edits()).values())
        .containsExactly(
            "site.xml has kept = one now, and 'salus install' has not put it so, or not there: it"
                + " stays, take it out yourself if it is Salus'");
    assertThat(read(undoing.text()))
        .isEqualTo(
            Map.of("kept", "one", "another", "3", "fresh.list", "usual,theirs", KEY, "a.B,g.H"));
    assertThat(undoing.text()).doesNotContain("salus install");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "text",
        "<other></other>",
        "<configuration>",
        "<configuration><!-- </configuration>",
        "<configuration><property></configuration>",
        "<\0c\0o"
      })
  void whatIsNotUnderstoodIsRefused(String text) {
    assertThatThrownBy(() -> new SiteEditor(FILE, text).add("k", "v", List.of()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("site.xml is not understood");
  }

  @Test
  void aCopyInACommentIsNotTakenForWhatWasPut() throws IOException {
    SiteEditor plain = new SiteEditor(FILE, "<configuration>\n</configuration>\n");
    plain.add("k", "v", List.of());
    String block = plain.edits().get(1).after();
    assertThat(undone(plain.text() + "<!--\n" + block + "-->\n", plain.edits()))
        .isEqualTo("<configuration>\n</configuration>\n<!--\n" + block + "-->\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.B,", "a.B , ,", "a.B,\n  ", "a.B\n,"})
  void noEmptyPartComesIntoTheMiddleOfAList(String list) throws IOException {
    String text = PLAIN.replace("a.B, c.D", list);
    SiteEditor editor = new SiteEditor(FILE, text);
    editor.extend(KEY, List.of("e.F"), "unused");
    Configuration conf = new Configuration(false);
    conf.addResource(new ByteArrayInputStream(editor.text().getBytes(StandardCharsets.UTF_8)));
    assertThat(conf.getTrimmedStrings(KEY)).containsExactly("a.B", "e.F");
    assertThat(undone(editor.text(), editor.edits())).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a", "a,b", " a , b ", "a,,b", ",a", "a,,", ",", "a\n b,\r\nc"})
  void aListHasThePartsThatHadoopSees(String list) {
    Configuration conf = new Configuration(false);
    conf.set(KEY, list);
    assertThat(Need.list(list)).containsExactly(conf.getTrimmedStrings(KEY));
  }

  @Test
  void anEqualSettingElsewhereIsNotTakenForOurs() throws IOException {
    SiteEditor editor = new SiteEditor(FILE, "<configuration>\n</configuration>\n");
    editor.add("k", "v", List.of());
    String block = editor.edits().get(1).after();
    String theirs = "<configuration>\n" + block + "</configuration>\n";
    for (String rolledOut : List.of(theirs, editor.text().replace("<!--", block + "<!--"))) {
      SiteEditor undoing = new SiteEditor(FILE, rolledOut);
      undoing.undo(editor.edits());
      assertThat(undoing.text().replaceAll("(?m)^\\s+<", "<"))
          .isEqualTo(theirs.replaceAll("(?m)^\\s+<", "<"));
    }
    SiteEditor undoing = new SiteEditor(FILE, theirs);
    assertThat(undoing.undo(editor.edits()).get("k")).contains("k = v now", "it stays");
  }

  @Test
  void otherLineEndsLeaveNothingBehind() throws IOException {
    String text = "<configuration>\r\n</configuration>\r\n";
    SiteEditor editor = new SiteEditor(FILE, text);
    editor.add("k", "v", List.of());
    editor.add("l", "w", List.of("w"));
    SiteEditor undoing = new SiteEditor(FILE, editor.text().replace("\r", ""));
    assertThat(undoing.undo(editor.edits())).isEmpty();
    assertThat(undoing.text()).isEqualTo(text.replace("\r", ""));
  }

  @Test
  void lettersOutsideAsciiAreReadInAnyEncoding() throws IOException {
    for (String encoding : List.of("UTF-8", "ISO-8859-1")) {
      String text = "<?xml version=\"1.0\" encoding=\"" + encoding + "\"?>\n<configuration/>\n";
      SiteEditor editor = new SiteEditor(FILE, text);
      editor.add("k", "J\u00fcrgen\u4e16", List.of("J\u00fcrgen\u4e16"));
      assertThat(read(editor.text())).containsEntry("k", "J\u00fcrgen\u4e16");
      assertThat(undone(editor.text(), editor.edits())).isEqualTo(text);
    }
  }
}
