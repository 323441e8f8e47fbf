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

  private final WaitNotes notes = new WaitNotes(() -> List.copyOf(waits), this::note, writes::add);

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
    waits.add(new WaitsRecord.Waits("disk", 0, 1, 0, 2000, 1, 9));
    write();
    waits.clear();
    write();
    write();
    assertThat(written).extracting(r -> r.members().size()).containsExactly(1, 0);
  }

  @Test
  void theEndOfANoteIsWrittenAgainWhenZooKeeperWasAway() {
    waits.add(new WaitsRecord.Waits("disk", 0, 1, 0, 2000, 1, 9));
    write();
    waits.clear();
    down = true;
    write();
    down = false;
    write();
    assertThat(written).extracting(r -> r.members().size()).containsExactly(1, 0);
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
