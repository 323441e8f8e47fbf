package org.salus.dist.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Quota;

class StartQuotasTest {
  private final List<String> said = new ArrayList<>();

  @Test
  void aQuotaThatOnlyVolumesHaveUsedUpIsToldAndTheMasterStarts() throws Exception {
    Quota volumes = new Quota("/salus", false, 20, 20, -1, 0);
    StartQuotas.tell(List.of(new Quota("/", true, 1L << 50, 90, -1, 0), volumes), said::add);
    assertThat(said).containsExactly(volumes.reason().orElseThrow().words());
  }

  @Test
  void aQuotaThatHBaseHasUsedUpEndsTheStart() {
    for (String directory : List.of("/", "/hbase")) {
      Quota hbase = new Quota(directory, true, 20, 20, -1, 0);
      assertThatThrownBy(() -> StartQuotas.tell(List.of(hbase), said::add))
          .isInstanceOf(IOException.class)
          .hasMessage(hbase.reason().orElseThrow().words());
    }
    assertThat(said).isEmpty();
  }
}
