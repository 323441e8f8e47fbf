package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.effect.MemberEffect.ServeGet;

class MemberReadsTest {
  private static final Endpoint.Member SELF = new Endpoint.Member(new RegionId(9, 0), 0);

  private final MemberReads reads =
      new MemberReads(SELF, 4096, null, null, Runnable::run, null, null);

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<String> why = new ArrayList<>();
  private final MemberReads later =
      new MemberReads(
          SELF,
          4096,
          null,
          new MemberTasks(
              SELF, new MemberHost.Threads(Runnable::run, Runnable::run, null), () -> {}, why::add),
          tasks::add,
          null,
          null);

  @Test
  void getsThatAreNotAnsweredAreBounded() {
    for (int i = 0; i < MemberReads.MOST; i++) {
      assertThat(reads.mayAsk()).isTrue();
    }
    assertThat(reads.mayAsk()).isFalse();
    assertThat(reads.mayAsk()).isFalse();
  }

  private static ServeGet get(long id) {
    return new ServeGet(new Endpoint.Session(9, 1), id, 0, 0, 1, List.of(), List.of());
  }

  private List<Long> underWay() {
    List<Long> ids = new ArrayList<>();
    later.underWay(g -> ids.add(g.id()));
    return ids;
  }

  @Test
  void getsAreUnderWayWhileTheyWaitForAReader() {
    assertThat(underWay()).isEmpty();
    later.serveLater(List.of(get(1), get(2)));
    assertThat(underWay()).containsExactly(1L, 2L);
    tasks.remove().run();
    assertThat(underWay()).as("after the planted bug: there is no store").isEmpty();
    assertThat(why).hasSize(1);
  }
}
