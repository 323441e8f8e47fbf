package org.salus.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class ReplicatedReaderTest {
  /** A replica that has one block. If it is torn, only the first half of the block can be read. */
  private record Replica(byte content, boolean torn) implements CheckpointReader {
    @Override
    public boolean has(long local) {
      return true;
    }

    @Override
    public PageEntry readPage(long page) throws UnreadableException {
      throw new UnreadableException("it has no pages");
    }

    @Override
    public boolean readBlock(long local, ByteBuffer into) throws UnreadableException {
      int end = torn ? into.limit() / 2 : into.limit();
      while (into.position() < end) {
        into.put(content);
      }
      if (torn) {
        throw new UnreadableException("it is torn");
      }
      return true;
    }

    @Override
    public long[] pages() {
      return new long[0];
    }

    @Override
    public void roots(RootSink to) {}
  }

  @Test
  void blockOfAWholeReplicaReplacesTheHalfThatATornOneGave() throws Exception {
    ReplicatedReader reader =
        new ReplicatedReader() {
          @Override
          protected <T> T ask(Question<T> question) throws UnreadableException {
            try {
              return question.ask(new Replica((byte) 1, true));
            } catch (UnreadableException torn) {
              return question.ask(new Replica((byte) 2, false));
            }
          }
        };
    ByteBuffer block = ByteBuffer.allocate(4);
    assertThat(reader.readBlock(0, block)).isTrue();
    assertThat(block.array()).containsExactly(2, 2, 2, 2);
  }
}
