package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.message.Message.HoldingsReply;
import org.salus.core.path.VolumePath;
import org.salus.host.zk.ServerRecord;

class VolumeRepairTest {
  private static final VolumePath VOLUME = new VolumePath("disk", 9);
  private static final RepairShape SHAPE = new RepairShape(1 << 20, 4096, 3, false, false, 4 << 20);
  private static final byte[] SECRET = {};
  private static final HoldingsReply EMPTY =
      new HoldingsReply("", List.of(), List.of(), new byte[0], 0);

  /** The servers of each question about a log. */
  private final List<List<String>> asked = new ArrayList<>();

  private VolumeRepair repair(String... silent) {
    Map<String, ServerRecord> servers = new TreeMap<>();
    for (String node : List.of("a:1", "b:1", "c:1")) {
      servers.put(node, ServerRecord.of(node, "127.0.0.1", 7, "127.0.0.1:9866", 5, SECRET));
    }
    return new VolumeRepair(
        new VolumeRepair.Disks() {
          @Override
          public List<String> inventory(List<String> all, Duration patience) {
            return List.of(VOLUME.path().substring(VolumePath.ROOT.length() + 1));
          }

          @Override
          public Map<String, HoldingsReply> holdings(
              List<String> all, String volume, RegionId region, Duration patience) {
            asked.add(all);
            Map<String, HoldingsReply> answers = new TreeMap<>();
            all.forEach(node -> answers.put(node, EMPTY));
            answers.keySet().removeAll(List.of(silent));
            return answers;
          }
        },
        servers,
        SECRET);
  }

  @Test
  void serversThatRunAndDoNotAnswerAreNamedAndNothingIsPlanned() {
    assertThatThrownBy(() -> repair("a:1", "c:1").plan(VOLUME, SHAPE, false))
        .isInstanceOf(SalusException.Incomplete.class)
        .hasMessageContaining("the servers [a:1, c:1] run but do not answer")
        .hasMessageContaining("withoutSilent");
    assertThat(asked).hasSize(1);
  }

  /** What the others have decides then. */
  @Test
  void planGoesOnWithoutThemWhenItIsToldTo() {
    assertThatThrownBy(() -> repair("a:1").plan(VOLUME, SHAPE, true))
        .isInstanceOf(SalusException.Incomplete.class)
        .hasMessageContaining("no DataNode of the servers [b:1, c:1] has a certified manifest");
  }

  @Test
  void nobodyIsSilentWhenAllAnswer() {
    assertThatThrownBy(() -> repair().plan(VOLUME, SHAPE, false))
        .isInstanceOf(SalusException.Incomplete.class)
        .hasMessageContaining("[a:1, b:1, c:1] has a certified manifest");
  }
}
