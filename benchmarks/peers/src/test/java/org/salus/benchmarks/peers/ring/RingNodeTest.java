package org.salus.benchmarks.peers.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.salus.benchmarks.peers.ring.RingMessage.Kind;

class RingNodeTest {
  private static final int BLOCKS = 2;
  private static final byte[] NEVER = {};

  /** A ring whose links deliver when the test says so. */
  private static final class Ring {
    final List<Map<Integer, byte[]>> contents = new ArrayList<>();
    final List<RingNode> nodes = new ArrayList<>();

    /** The link to each node from its predecessor. */
    final List<Queue<RingMessage>> links = new ArrayList<>();

    /** The tag of each content. */
    final Map<ByteBuffer, Tag> tags = new HashMap<>(Map.of(ByteBuffer.wrap(NEVER), Tag.NONE));

    Ring(int servers) {
      for (int i = 0; i < servers; i++) {
        Map<Integer, byte[]> mine = new HashMap<>();
        contents.add(mine);
        links.add(new ArrayDeque<>());
        nodes.add(
            new RingNode(
                i,
                servers,
                new RingNode.Blocks() {
                  @Override
                  public byte[] read(int block) {
                    return mine.getOrDefault(block, NEVER);
                  }

                  @Override
                  public void write(int block, byte[] content) {
                    mine.put(block, content);
                  }
                }));
      }
    }

    /** Whether the node had something to send. */
    boolean send(int node) {
      RingMessage m = nodes.get(node).next();
      if (m == null) {
        return false;
      }
      if (m.kind() == Kind.PRE_WRITE) {
        tags.put(ByteBuffer.wrap(m.content()), m.tag());
      }
      links.get((node + 1) % nodes.size()).add(m);
      return true;
    }

    /** Whether something was on its way to the node. */
    boolean deliver(int node) {
      RingMessage m = links.get(node).poll();
      if (m != null) {
        nodes.get(node).receive(m);
      }
      return m != null;
    }

    void untilQuiet() {
      for (boolean moved = true; moved; ) {
        moved = false;
        for (int i = 0; i < nodes.size(); i++) {
          moved |= send(i) | deliver(i);
        }
      }
    }

    Tag tag(byte[] content) {
      return tags.get(ByteBuffer.wrap(content));
    }
  }

  private static byte[] content(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  @Test
  void aReadSeesNothingOlderThanWhatHadEndedBeforeItBegan() {
    long first = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
    for (long seed = first; seed < first + 300; seed++) {
      Random random = new Random(seed);
      int servers = 1 + random.nextInt(4);
      Ring ring = new Ring(servers);
      Tag[] ended = new Tag[BLOCKS];
      Arrays.fill(ended, Tag.NONE);
      int[] answers = {0};
      int asked = 0;
      String as = "seed " + seed;
      for (int step = 0; step < 2000; step++) {
        int node = random.nextInt(servers);
        int block = random.nextInt(BLOCKS);
        switch (random.nextInt(20)) {
          case 0 -> {
            asked++;
            byte[] content = content(asked);
            ring.nodes
                .get(node)
                .write(
                    block,
                    content,
                    () -> {
                      answers[0]++;
                      ended[block] = latest(ended[block], ring.tag(content));
                    });
          }
          case 1, 2 -> {
            asked++;
            Tag least = ended[block];
            ring.nodes
                .get(node)
                .read(
                    block,
                    found -> {
                      answers[0]++;
                      assertThat(ring.tag(found)).as(as).isGreaterThanOrEqualTo(least);
                      ended[block] = latest(ended[block], ring.tag(found));
                    });
          }
          case 3, 4, 5, 6, 7, 8, 9, 10 -> ring.send(node);
          default -> ring.deliver(node);
        }
      }
      ring.untilQuiet();
      assertThat(answers[0]).as(as).isEqualTo(asked);
      assertThat(
              new TreeSet<>(
                  ring.contents.stream()
                      .map(c -> c.values().stream().map(ring::tag).toList().toString())
                      .toList()))
          .as(as)
          .hasSize(1);
    }
  }

  private static Tag latest(Tag a, Tag b) {
    return a.compareTo(b) > 0 ? a : b;
  }

  @Test
  void aReadWaitsForWhatAnotherServerMayHaveShown() {
    Ring ring = new Ring(3);
    List<byte[]> found = new ArrayList<>();
    ring.nodes.get(0).write(0, content(1), () -> {});
    ring.send(0);
    ring.deliver(1);
    ring.nodes.get(1).read(0, found::add);
    assertThat(found).as("it has not told anybody").hasSize(1).first().isEqualTo(NEVER);
    ring.send(1);
    ring.nodes.get(1).read(0, found::add);
    assertThat(found).hasSize(1);
    ring.untilQuiet();
    assertThat(found).hasSize(2).last().isEqualTo(content(1));
  }

  @Test
  void aLoadedServerLetsOthersPass() {
    Ring ring = new Ring(2);
    List<Integer> written = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      int number = i;
      ring.nodes.get(0).write(0, content(i), () -> written.add(number));
    }
    ring.nodes.get(1).write(1, content(1000), () -> written.add(1000));
    ring.untilQuiet();
    assertThat(written).hasSize(101);
    assertThat(written.indexOf(1000)).isLessThan(10);
  }
}
