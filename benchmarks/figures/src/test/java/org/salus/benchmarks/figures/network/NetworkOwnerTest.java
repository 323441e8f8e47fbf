package org.salus.benchmarks.figures.network;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NetworkOwnerTest {
  @Test
  void itsNamespacesAreRecognisedAndNoOthers() throws Exception {
    NetworkOwner self = NetworkOwner.self();
    assertThat(NetworkOwner.of(self.prefix() + "host0")).contains(self);
    for (String other :
        new String[] {
          "salus",
          "salus-1",
          "salus-1-2",
          "salus-1-2-",
          "salus-x-2-a",
          "my-salus-1-2-a",
          "salus-1-2-a-b",
          "cni-1-2-a"
        }) {
      assertThat(NetworkOwner.of(other)).as(other).isEmpty();
    }
  }

  @Test
  void anotherProcessOfTheSamePidIsNotTheOwner() throws Exception {
    NetworkOwner self = NetworkOwner.self();
    assertThat(self.isAlive()).isTrue();
    assertThat(new NetworkOwner(self.pid(), self.started() + 1).isAlive()).isFalse();
    assertThat(new NetworkOwner(1L << 23, self.started()).isAlive())
        .as("there cannot be as many")
        .isFalse();
  }
}
