package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.salus.host.zk.WaitsRecord;

class WaitNotesTest {
  private final List<WaitsRecord.Waits> waits = new ArrayList<>();
  private final List<WaitsRecord> written = new ArrayList<>();
  private final Queue<Runnable> writes = new ArrayDeque<>();
  private boolean down;
  private long nanos;

  private final WaitNotes notes =
      new WaitNotes(() -> List.copyOf(waits), this::note, writes::add, () -> nanos);

  private static WaitsRecord.Waits waits(long slow) {
    return new WaitsRecord.Waits(
        "disk", 0, 3, WaitsRecord.Cause.CHAIN, List.of("b:1"), 0, 0, slow, 9);
  }

  private void note(WaitsRecord record) throws IOException {
    if (down) {
      throw new IOException("ZooKeeper does not answer");
    }
    written.add(record);
  }

  private void write() {
    notes.write();
    writes.remove().run();
  }

  @Test
  void aServerWhereNothingIsSlowWritesNothingAndEndsItsNote() {
    write();
    assertThat(written).isEmpty();
    waits.add(waits(1));
    write();
    waits.clear();
    write();
    write();
    assertThat(written).extracting(r -> r.waits().size()).containsExactly(1, 0);
  }

  @Test
  void theEndOfANoteIsWrittenAgainWhenZooKeeperWasAway() {
    waits.add(waits(1));
    write();
    waits.clear();
    down = true;
    write();
    down = false;
    write();
    assertThat(written).extracting(r -> r.waits().size()).containsExactly(1, 0);
  }

  @Test
  void aNoteIsWrittenAgainWhenItChangesAndRarelyOtherwise() {
    waits.add(waits(1));
    write();
    write();
    assertThat(written).hasSize(1);
    waits.set(0, waits(2));
    write();
    nanos = WaitNotes.AGAIN.toNanos() - 1;
    write();
    assertThat(written).hasSize(2);
    nanos++;
    write();
    write();
    assertThat(written).hasSize(3);
    assertThat(written.get(2).waits()).isEqualTo(waits);
  }

  @Test
  void oneNoteIsWrittenAtATime() {
    notes.write();
    notes.write();
    assertThat(writes).hasSize(1);
    writes.remove().run();
    notes.write();
    assertThat(writes).hasSize(1);
  }
}
