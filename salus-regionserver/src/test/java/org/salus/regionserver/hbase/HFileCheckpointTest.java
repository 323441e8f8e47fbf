package org.salus.regionserver.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.checkpoint.CheckpointLookup;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.Generation;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.log.LogReader;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.TreeShape;
import org.salus.datanode.ReplicaReader;

/** Checkpoints of random content as HFiles in memory, beside a model of what they hold. */
class HFileCheckpointTest {
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 1000;
  private static final int WIDTH = TreeShape.FANOUT;

  private final Random random = new Random(20261121);
  private final Hashes hashes = new Hashes();
  private final Map<Long, byte[]> model = new TreeMap<>();
  private HFileFormat format;
  private int names;

  @BeforeEach
  void open() throws Exception {
    format = new HFileFormat(new Configuration());
  }

  @AfterEach
  void close() {
    format.close();
  }

  /** A log segment with new versions of some blocks, some of them zeros; the model follows. */
  private final class Segment {
    final Generation generation = new Generation();
    final byte[] bytes;

    Segment(int versions) {
      bytes = new byte[versions * BLOCK];
      random.nextBytes(bytes);
      for (int i = 0; i < versions; i++) {
        long local = random.nextInt(BLOCKS);
        boolean zero = random.nextInt(4) == 0;
        byte[] data = Arrays.copyOfRange(bytes, i * BLOCK, (i + 1) * BLOCK);
        generation.put(local, zero ? Generation.ZERO : (long) i * BLOCK, zero ? Hashes.zero() : hashes.leaf(ByteBuffer.wrap(data)));
        model.put(local, zero ? new byte[BLOCK] : data);
      }
    }

    byte[] flush(List<CheckpointReader> older) throws Exception {
      return flush(older, List.of(bytes));
    }

    byte[] flush(List<CheckpointReader> older, List<byte[]> replicas) throws Exception {
      List<LogReader.Source> sources = replicas.stream().map(replica -> (LogReader.Source) (at, into) -> {
        if (at + into.remaining() > replica.length) {
          return false;
        }
        into.put(replica, (int) at, into.remaining());
        return true;
      }).toList();
      return file(sink -> new CheckpointBuilder(WIDTH, BLOCK, sink).flush(generation.snapshot(), sources, older));
    }
  }

  private byte[] file(HFileFormat.Content content) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    format.write(out, content);
    return out.toByteArray();
  }

  private CheckpointReader read(byte[] file) throws UnreadableException {
    return format.open("f" + names++, new ReplicaReader() {
      @Override
      public int read(ByteBuffer into, long position) {
        int n = (int) Math.min(into.remaining(), file.length - position);
        into.put(file, (int) position, n);
        return n;
      }

      @Override
      public long length() {
        return file.length;
      }

      @Override
      public boolean local() {
        return true;
      }

      @Override
      public void close() {}
    });
  }

  private void assertHoldTheModel(List<CheckpointReader> newestFirst) throws UnreadableException {
    for (long local = 0; local < BLOCKS; local++) {
      ByteBuffer into = ByteBuffer.allocate(BLOCK);
      boolean data = CheckpointLookup.block(local, newestFirst, into);
      assertThat(into.array()).as("block " + local).isEqualTo(model.getOrDefault(local, new byte[BLOCK]));
      assertThat(data).isEqualTo(into.position() == BLOCK);
    }
  }

  @Test
  void theSameContentIsTheSameBytesAndReadsBack() throws Exception {
    List<CheckpointReader> newestFirst = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Segment segment = new Segment(300);
      byte[] file = segment.flush(newestFirst);
      assertThat(segment.flush(newestFirst)).isEqualTo(file);
      newestFirst.add(0, read(file));
      assertHoldTheModel(newestFirst);
    }
    byte[] merged = file(sink -> new CheckpointBuilder(WIDTH, BLOCK, sink).compact(newestFirst.subList(0, 3), false));
    assertHoldTheModel(List.of(read(merged), newestFirst.get(3)));
    byte[] all = file(sink -> new CheckpointBuilder(WIDTH, BLOCK, sink).compact(newestFirst, true));
    assertHoldTheModel(List.of(read(all)));
  }

  @Test
  void eachBlockIsFlushedFromAnyReplicaInWhichItIsRight() throws Exception {
    Segment segment = new Segment(300);
    byte[] whole = segment.flush(List.of());
    byte[] junkAtTheHead = segment.bytes.clone();
    Arrays.fill(junkAtTheHead, 0, segment.bytes.length / 2, (byte) 1);
    byte[] shorter = Arrays.copyOf(segment.bytes, segment.bytes.length / 2 + BLOCK);
    assertThat(segment.flush(List.of(), List.of(junkAtTheHead, shorter))).isEqualTo(whole);
    assertThat(segment.flush(List.of(), List.of(new byte[0], shorter, junkAtTheHead))).isEqualTo(whole);
    assertThatThrownBy(() -> segment.flush(List.of(), List.of(junkAtTheHead, new byte[0]))).isInstanceOf(UnreadableException.class);
  }

  @Test
  void aPagesRootIsThatOfItsNewestBlocks() throws Exception {
    List<CheckpointReader> newestFirst = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      newestFirst.add(0, read(new Segment(200).flush(newestFirst)));
    }
    newestFirst.get(0).roots((page, root) -> {
      byte[] leaves = new byte[WIDTH * Hashes.BYTES];
      for (int slot = 0; slot < WIDTH; slot++) {
        byte[] data = model.get(page * WIDTH + slot);
        if (data != null && !Arrays.equals(data, new byte[BLOCK])) {
          System.arraycopy(hashes.leaf(ByteBuffer.wrap(data)), 0, leaves, slot * Hashes.BYTES, Hashes.BYTES);
        }
      }
      assertThat(root).as("root of page " + page).isEqualTo(hashes.root(leaves));
    });
  }

  @Test
  void aFlippedByteIsAnErrorOrInAFieldThatNobodyReads() throws Exception {
    byte[] file = new Segment(100).flush(List.of());
    int told = 0;
    for (int i = 0; i < 200; i++) {
      byte[] damaged = file.clone();
      damaged[random.nextInt(file.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        assertHoldTheModel(List.of(read(damaged)));
      } catch (UnreadableException error) {
        told++;
      }
    }
    assertThat(told).isGreaterThan(180);
  }
}
