package org.salus.dist.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsFileTest {
  private static final Path CONF =
      Path.of(System.getProperty("basedir", ".")).resolveSibling("conf").toAbsolutePath();

  @TempDir Path dir;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cluster.xml",
        "datanode.xml",
        "master.xml",
        "namenode.xml",
        "regionserver.xml",
        "zookeeper.xml"
      })
  void readsTheFilesOfConfAsHadoopDoes(String name) throws IOException {
    assertThat(SettingsFile.read(CONF.resolve(name)))
        .isNotEmpty()
        .isEqualTo(hadoop(CONF.resolve(name)));
  }

  @Test
  void readsIncludesFinalsRepetitionsAndVariablesAsHadoopDoes() throws IOException {
    Files.writeString(
        dir.resolve("included.xml"),
        "<configuration><property><name>a</name><value>included</value></property>"
            + "<property><name>fixed</name><value>1</value><final>true</final></property></configuration>");
    Path file = dir.resolve("file.xml");
    Files.writeString(
        file,
        String.join(
            "\n",
            List.of(
                "<?xml version=\"1.0\"?>",
                "<?xml-stylesheet type=\"text/xsl\" href=\"configuration.xsl\"?>",
                "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">",
                "<xi:include href=\"included.xml\"/>",
                "<xi:include href=\"missing.xml\"><xi:fallback/></xi:include>",
                "<!-- <property><name>c</name><value>comment</value></property> -->",
                "<property><name> b </name><value> two &amp; <!-- not this -->three </value></property>",
                "<property><name>b</name><value>last</value><description>x</description></property>",
                "<property><name>fixed</name><value>2</value></property>",
                "<property><name>empty</name><value></value></property>",
                "<property><name>emptied</name><value>1</value></property>",
                "<property><name>emptied</name><value/></property>",
                "<property><name>none</name></property>",
                "<property><name>v</name><value>${a}/${user.name}/${env.NO_SUCH_VARIABLE_HERE}/${unknown}</value></property>",
                "<property><name>w</name><value>${v}${b}</value></property>",
                "</configuration>")));
    Map<String, String> read = SettingsFile.read(file);
    assertThat(read).isEqualTo(hadoop(file)).containsEntry("emptied", "1");
    assertThat(read).containsEntry("a", "included").containsEntry("fixed", "1");
    assertThat(read.get("w")).startsWith("included/" + System.getProperty("user.name"));
  }

  @Test
  void readsAttributesAndFallbacksOfTheEnvironmentAsHadoopDoes() throws IOException {
    Path file =
        Files.writeString(
            dir.resolve("file.xml"),
            String.join(
                "\n",
                List.of(
                    "<configuration>",
                    "<property name=\"salus.secret\" value=\"x\" final=\"true\"/>",
                    "<property name=\"salus.secret\" value=\"y\"/>",
                    "<property name=\"mixed\"><value>1</value></property>",
                    "<property><name>a</name><value>${env.NO_SUCH_VARIABLE_HERE:-b-c}</value></property>",
                    "<property><name>d</name><value>${env.NO_SUCH_VARIABLE_HERE-e}</value></property>",
                    "<property><name>f</name><value>${env.PATH:-g}</value></property>",
                    "<property><name>h</name><value>${env.PATH-i}${env.PATH}</value></property>",
                    "<property><name>j</name><value>${env.NO_SUCH_VARIABLE_HERE:-}k</value></property>",
                    "<property><name>l</name><value>${env.}${env.-m}</value></property>",
                    "</configuration>")));
    assertThat(SettingsFile.read(file))
        .isEqualTo(hadoop(file))
        .containsEntry("salus.secret", "x")
        .containsEntry("a", "b-c")
        .containsEntry("d", "e");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "<configuration>", "<a></b>"})
  void anotherFileIsAnErrorOfOneLine(String text) throws IOException {
    Path file = Files.writeString(dir.resolve("file.xml"), text);
    assertThatThrownBy(() -> SettingsFile.read(file))
        .isInstanceOf(IOException.class)
        .message()
        .contains("is not valid XML")
        .doesNotContain("\n");
    assertThatThrownBy(() -> SettingsFile.read(dir.resolve("nothing")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("give a file with --conf");
  }

  private static Map<String, String> hadoop(Path file) {
    Configuration in = new Configuration(false);
    in.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
    Map<String, String> all = new HashMap<>();
    in.forEach(e -> all.put(e.getKey(), in.get(e.getKey())));
    return all;
  }
}
