package org.salus.host.zk;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests on {@link TwoStores}, new for each. */
@Timeout(60)
abstract class OnTwoStores {
  @TempDir Path directory;
  TwoStores stores;
  ClusterStore one;
  ClusterStore two;

  @BeforeEach
  void start() throws Exception {
    stores = new TwoStores(directory);
    one = stores.one();
    two = stores.two();
  }

  @AfterEach
  void stop() {
    stores.close();
  }
}
