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
        "<property name=\"ssl.server.keystore.password\" value=\"HUSH\"/>",
        "<property name='a.Secret' value='HUSH'></property>",
        "<!-- <property><name>salus.secret</name><value>HUSH</value></property> -->",
        "<property><name>salus.secret</name><value><![CDATA[HUSH<]]></value></property>"
      })
  void aSecretIsHidden(String text) {
    String other = "<property><name>a.secre</name><value>LOUD</value></property>";
    assertThat(Mask.of(other + text + other))
        .doesNotContain("HUSH")
        .contains("********")
        .startsWith(other)
        .endsWith(other);
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
