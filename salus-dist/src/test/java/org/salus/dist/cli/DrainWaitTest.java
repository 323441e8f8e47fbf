package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.salus.client.SalusException;
import org.salus.client.ServerInfo;
import org.salus.client.ServerList;

class DrainWaitTest {
  private static final Supplier<ServerList> AWAY =
      () -> {
        throw new SalusException.Unavailable("ZooKeeper does not answer", null);
      };

  /** What the looks find, one after the other. */
  private final Queue<Supplier<ServerList>> looks = new ArrayDeque<>();

  private final List<Long> pauses = new ArrayList<>();
  private final StringWriter err = new StringWriter();

  private static ServerList needed(int regions, String... unknown) {
    ServerInfo server = new ServerInfo("host1:16020", "10.0.0.1:9866", true, true, regions);
    ServerInfo other = new ServerInfo("host10:16020", "10.0.0.2:9866", true, false, 7);
    return new ServerList(List.of(server, other), Set.of("host1"), List.of(unknown));
  }

  private void await() throws IOException {
    new DrainWait(
            "host1",
            () -> looks.remove().get(),
            () -> ": no other server can join",
            pauses::add,
            new PrintWriter(err))
        .await();
    assertThat(looks).isEmpty();
  }

  private void find(ServerList... found) {
    List.of(found).forEach(list -> looks.add(() -> list));
  }

  @Test
  void itIsOverAfterTwoLooksInARow() throws Exception {
    find(needed(2), needed(0), needed(1), needed(0), needed(0));
    await();
    assertThat(pauses).containsExactly(500L, 3000L, 500L, 3000L);
    assertThat(err.toString())
        .isEqualToNormalizingNewlines(
            "salus: 2 regions still need host1\nsalus: 1 regions still need host1\n");
  }

  @Test
  void itIsNotOverWhileAVolumeIsUnknown() throws Exception {
    find(needed(0), needed(0, "volume disk: junk"), needed(0), needed(0));
    await();
    assertThat(err.toString())
        .contains("0 regions still need host1; it is not known whether more do: volume disk: junk");
  }

  @Test
  void itGoesOnWhenTheClusterIsAway() throws Exception {
    find(needed(0));
    looks.add(AWAY);
    looks.add(AWAY);
    find(needed(0), needed(0));
    await();
    assertThat(err.toString())
        .isEqualToNormalizingNewlines(
            "salus: the wait for host1 goes on: ZooKeeper does not answer\n");
  }

  @Test
  void itSaysAgainWhatItWaitsForAndWhy() throws Exception {
    for (int i = 0; i <= 60; i++) {
      find(needed(2));
    }
    find(needed(0), needed(0));
    await();
    assertThat(err.toString())
        .isEqualToNormalizingNewlines(
            "salus: 2 regions still need host1\n"
                + "salus: 2 regions still need host1: no other server can join\n");
  }

  @Test
  void itFailsWhenSomebodyElseEndsTheDrain() {
    find(needed(2), new ServerList(needed(0).servers(), Set.of("host10"), List.of()));
    assertThatThrownBy(this::await)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("host1 is drained no more");
  }
}
