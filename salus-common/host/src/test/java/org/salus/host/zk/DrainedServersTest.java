package org.salus.host.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DrainedServersTest extends OnTwoStores {
  @Test
  void aNoteStaysUntilItIsRemoved() throws Exception {
    BlockingQueue<Set<String>> seen = new LinkedBlockingQueue<>();
    try (Watch watch = two.drained().watch(seen::add)) {
      assertThat(seen.poll(10, TimeUnit.SECONDS)).isEmpty();
      one.drained().add("host1", Map.of());
      one.drained().add("host1", Map.of());
      assertThat(seen.poll(10, TimeUnit.SECONDS)).containsExactly("host1");
    }
    assertThat(two.drained().all()).containsExactly("host1");
    assertThat(two.drained().remove("host1")).isTrue();
    assertThat(two.drained().remove("host1")).isFalse();
    assertThat(one.drained().all()).isEmpty();
    assertThatThrownBy(() -> one.drained().add("../volumes", Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aNoteKeepsTheDataNodesOfServersThatHaveStopped() throws Exception {
    one.drained().add("h", Map.of("h:1", "10.0.0.1:9866"));
    two.drained().add("h", Map.of("h:2", "10.0.0.1:9867"));
    two.drained().add("h", Map.of());
    one.drained().addDataNodes("h", Map.of("h:1", "10.0.0.2:9866"));
    assertThat(two.drained().notes())
        .isEqualTo(Map.of("h", Map.of("h:1", "10.0.0.2:9866", "h:2", "10.0.0.1:9867")));
    one.drained().remove("h");
    two.drained().addDataNodes("h", Map.of("h:1", "10.0.0.1:9866"));
    assertThat(one.drained().notes()).as("nobody drains again what is not drained").isEmpty();
  }

  @Test
  void aNoteIsAboutTheServersOfItsHost() {
    assertThat(DrainedServers.isAbout("host1", "host1:16020")).isTrue();
    assertThat(DrainedServers.isAbout("host1:16020", "host1:16020")).isTrue();
    assertThat(DrainedServers.isAbout("host1:16021", "host1:16020")).isFalse();
    assertThat(DrainedServers.isAbout("host1", "host10:16020")).isFalse();
    assertThat(DrainedServers.isAbout("host1", "host1")).isTrue();
  }
}
