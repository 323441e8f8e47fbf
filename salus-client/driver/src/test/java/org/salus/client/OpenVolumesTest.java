package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.WriterRecord;

class OpenVolumesTest {
  private final OpenVolumes volumes = new OpenVolumes();

  /** A handle whose claim fails, since the volume has the writer of this claim. */
  private static MemoryClient second(String presentClaim) {
    MemoryClient c = new MemoryClient();
    c.store.failure =
        new ClusterStoreException.Busy(
            "disk", new WriterRecord("me", 0, 1, "", 1, presentClaim, false, 0, ""));
    return c;
  }

  private void acquire(MemoryClient c, String claim) throws ClusterStoreException {
    volumes.add(c.volume, claim);
    volumes.acquire(c.volume, false);
  }

  @Test
  void volumeThatThisClientHasOpenIsToldSo() throws Exception {
    MemoryClient first = new MemoryClient();
    acquire(first, "first");
    assertThatThrownBy(() -> acquire(second("first"), "second"))
        .isInstanceOf(SalusException.Busy.class)
        .hasMessageContaining("is open in this client");
    assertThatThrownBy(() -> acquire(second("another client's"), "third"))
        .isInstanceOf(ClusterStoreException.Busy.class);
    assertThat(volumes.all()).containsExactly(first.volume);
    first.volume.abandon();
    assertThatThrownBy(() -> acquire(second("first"), "fourth"))
        .as("not in use any more")
        .isInstanceOf(ClusterStoreException.Busy.class);
  }
}
