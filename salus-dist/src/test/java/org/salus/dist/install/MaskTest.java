package org.salus.dist.install;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MaskTest {
  @TempDir(factory = InMemory.class)
  Path temp;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<property><name>salus.secret</name><value>HUSH</value></property>",
        "<property>\n <value>\n HUSH\n </value>\n <name> salus.secret </name>\n</property>",
        "<property name=\"fs.azure.account.key.x\" value=\"HUSH\"/>",
        "<property name='a.Secret' value='HUSH'></property>",
        "<!-- <property><name>a</name><value>HUSH</value></property> -->",
        "<property><name><![CDATA[a]]></name><value>HUSH</value></property>",
        "<property><name>a<!-- b --></name><value>HUSH</value></property>",
        "<property><name>fs.s3a.access.key</name><value><![CDATA[HUSH</value>HUSH]]></value></property>"
      })
  void noValueIsShownThatDoesNotChange(String text) throws IOException {
    String before = "<configuration>" + text + "</configuration>";
    String ours = "<property><name>k</name><value>LOUD</value></property>";
    String after = "<configuration>" + text + ours + "</configuration>";
    assertThat(String.join("\n", Mask.diff(Path.of("site.xml"), before, after)))
        .doesNotContain("HUSH")
        .contains("********", "<value>LOUD</value>");
  }

  @Test
  void aValueThatChangesIsShownAsItWasAndIs() throws IOException {
    String one = "<configuration><property><name>k</name><value>a</value></property>";
    String other = "<property><name>l</name><value>HUSH</value></property></configuration>";
    String after = one.replace(">a<", ">a,b<") + other;
    assertThat(String.join("\n", Mask.diff(Path.of("site.xml"), one + other, after)))
        .contains("<value>a</value>", "<value>a,b</value>")
        .doesNotContain("HUSH");
  }

  @Test
  void noPlanShowsOneThatIsBesideAChange() throws IOException {
    Layout layout = new Layout(temp.toRealPath());
    String secret = "<property><name>salus.secret</name><value>HUSH</value></property>\n";
    for (Path site : new Path[] {layout.hdfsSite(), layout.hbaseSite()}) {
      String end = "</configuration>";
      Files.writeString(site, Files.readString(site).replace(end, secret + end));
    }
    for (Plan plan : layout.installer("1.0").planInstall(layout.homes(), Layout.USER)) {
      assertThat(plan.diff())
          .anyMatch(line -> line.contains("salus.secret"))
          .noneMatch(line -> line.contains("HUSH"));
    }
  }
}
