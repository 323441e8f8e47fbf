package org.salus.master;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.salus.core.Reason;
import org.salus.host.FaultHandler;
import org.salus.host.metrics.Metrics;

class KeptTableTest {
  private final Queue<Runnable> tables = new ArrayDeque<>();
  private final List<String> asked = new ArrayList<>();
  private final List<Throwable> faults = new ArrayList<>();
  private int wakes;
  private Exception failure;
  private final KeptTable table = new KeptTable("disk", new Master(), tables::add, () -> wakes++);

  private void answer() {
    tables.remove().run();
  }

  @Test
  void tableIsMadeOnce() {
    table.create(3);
    answer();
    table.create(3);
    assertThat(tables).isEmpty();
    assertThat(asked).containsExactly("create disk 3");
    assertThat(wakes).isEqualTo(1);
  }

  @Test
  void hbaseIsAskedForOneThingAtATime() {
    table.create(3);
    table.delete(() -> asked.add("rest"));
    assertThat(tables).hasSize(1);
    answer();
    table.delete(() -> asked.add("rest"));
    answer();
    assertThat(asked).containsExactly("create disk 3", "delete disk", "rest");
  }

  @Test
  void whatFailedIsAskedForAgain() {
    failure = new IOException("no meta region");
    table.create(3);
    answer();
    assertThat(wakes).isZero();
    failure = null;
    table.create(3);
    answer();
    assertThat(asked).containsExactly("create disk 3", "create disk 3");
    assertThat(faults).isEmpty();
  }

  @Test
  void bugGoesToTheFaultHandlerAndHoldsUpNothing() {
    failure = new IllegalStateException("a bug");
    table.delete(() -> asked.add("rest"));
    answer();
    assertThat(faults).containsExactly(failure);
    table.delete(() -> asked.add("rest"));
    assertThat(tables).hasSize(1);
    assertThat(asked).doesNotContain("rest");
  }

  @Test
  void onlyASurveyAfterTheTableWasMadeSaysThatItIsGone() {
    table.create(3);
    answer();
    assertThat(table.trouble(3, OptionalInt.empty())).isEmpty();
    assertThat(table.isMade()).isTrue();
    assertThat(table.trouble(3, OptionalInt.of(9))).isEmpty();
    assertThat(table.trouble(3, OptionalInt.of(6))).contains(Reason.tableDiffers(6, 9));
    assertThat(table.trouble(3, OptionalInt.of(0))).contains(Reason.tableGone());
    assertThat(table.isMade()).as("it will be made again").isFalse();
  }

  private final class Tables implements VolumeCatalogue {
    @Override
    public void create(String volume, int regions) throws IOException {
      asked.add("create " + volume + " " + regions);
      fail();
    }

    @Override
    public void delete(String volume) throws IOException {
      asked.add("delete " + volume);
      fail();
    }

    private void fail() throws IOException {
      if (failure instanceof IOException e) {
        throw e;
      }
      if (failure instanceof RuntimeException e) {
        throw e;
      }
    }

    @Override
    public List<String> list() {
      return List.of();
    }
  }

  private final Metrics metrics = new Metrics();

  private final class Master implements MasterContext {
    @Override
    public Metrics metrics() {
      return metrics;
    }

    @Override
    public String node() {
      return "master:1";
    }

    @Override
    public String zookeeper() {
      return "127.0.0.1:1";
    }

    @Override
    public Map<String, String> configuration() {
      return Map.of();
    }

    @Override
    public FaultHandler faults() {
      return (what, bug) -> faults.add(bug);
    }

    @Override
    public List<String> servers() {
      return List.of();
    }

    @Override
    public Map<Integer, List<String>> placement(String volume) {
      return Map.of();
    }

    @Override
    public void watchServers(Consumer<List<String>> watcher) {
      // Servers never change here.
    }

    @Override
    public Optional<Map<String, Integer>> replicas() {
      return Optional.empty();
    }

    @Override
    public HdfsReport hdfs() {
      return HdfsReport.NONE;
    }

    @Override
    public VolumeCatalogue tables() {
      return new Tables();
    }
  }
}
