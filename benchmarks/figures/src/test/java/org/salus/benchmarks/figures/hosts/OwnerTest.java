package org.salus.benchmarks.figures.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OwnerTest {
  @Test
  void itsNamespacesAreRecognisedAndNoOthers() throws Exception {
    Owner self = Owner.self();
    assertThat(Owner.of(self.prefix() + "host0")).contains(self);
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
      assertThat(Owner.of(other)).as(other).isEmpty();
    }
  }

  @Test
  void anotherProcessOfTheSamePidIsNotTheOwner() throws Exception {
    Owner self = Owner.self();
    assertThat(self.isAlive()).isTrue();
    assertThat(new Owner(self.pid(), self.started() + 1).isAlive()).isFalse();
    assertThat(new Owner(1L << 23, self.started()).isAlive())
        .as("there cannot be as many")
        .isFalse();
  }
}
