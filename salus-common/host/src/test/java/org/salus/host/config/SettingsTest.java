package org.salus.host.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTest {
  @Test
  void defaultsAreThoseOfTheDesign() {
    assertThat(ClientSettings.from(Map.of()))
        .isEqualTo(
            new ClientSettings(
                "localhost:2181",
                Duration.ofSeconds(10),
                Duration.ofMinutes(5),
                64 << 20,
                16,
                Duration.ofSeconds(1),
                false,
                0,
                4 << 20));
    assertThat(ClusterSettings.from(Map.of())).isEqualTo(new ClusterSettings("", 2, 64 << 20));
    assertThat(ServerSettings.from(Map.of()))
        .isEqualTo(
            new ServerSettings(
                "",
                16_040,
                8,
                Runtime.getRuntime().availableProcessors(),
                20 << 20,
                Duration.ofHours(24)));
  }

  @Test
  void nonsenseAndValuesOutOfRangeNameTheirKey() {
    assertThatThrownBy(() -> ClusterSettings.from(Map.of("salus.segment.size", "12 elephants")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("salus.segment.size");
    assertThatThrownBy(() -> ClusterSettings.from(Map.of("salus.rrs.min-members", "4")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 3");
    assertThatThrownBy(() -> ClientSettings.from(Map.of("salus.client.accept.loss", "yes")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("true or false");
  }

  @Test
  void serversOfZooKeeperHaveAPortThatIsANumber() {
    for (String wrong :
        new String[] {
          "host", "[::1]", "host:abc", "host:0", "host:70000", "a:1,", ":2181", "", "h:"
        }) {
      assertThatThrownBy(() -> ClientSettings.from(Map.of("salus.zookeeper.quorum", wrong)))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("salus.zookeeper.quorum");
    }
    for (String right : new String[] {"a:1,b:65535", "[::1]:2181", "a:1, b:2", "a:1/x:y"}) {
      assertThat(ClientSettings.from(Map.of("salus.zookeeper.quorum", right)).zookeeperQuorum())
          .isEqualTo(right);
    }
  }

  @Test
  void aMisspeltKeyIsNotADefault() {
    Settings.requireKnown(
        Map.of("salus.segment.size", "1m", "hbase.regionserver.handler.count", "3"));
    assertThatThrownBy(() -> Settings.requireKnown(Map.of("salus.segment.syze", "1m")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("salus.segment.syze");
  }

  @Test
  void secretIsNotShown() {
    assertThat(new ClusterSettings("xyzzy", 2, 1 << 20).toString()).doesNotContain("xyzzy");
  }

  @Test
  void configurationPageIsTheGeneratedOne() throws IOException {
    Path page =
        Path.of(System.getProperty("basedir", "."))
            .resolve("../../docs")
            .resolve("configuration.md");
    if (Boolean.getBoolean("salus.docs.update")) {
      Files.createDirectories(page.getParent());
      Files.writeString(page, ConfigDoc.markdown());
    }
    assertThat(page)
        .as("regenerate with -Dsalus.docs.update=true")
        .exists()
        .content()
        .as("regenerate with -Dsalus.docs.update=true")
        .isEqualTo(ConfigDoc.markdown());
  }
}
