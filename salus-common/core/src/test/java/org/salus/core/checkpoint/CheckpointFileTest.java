package org.salus.core.checkpoint;

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
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.TreeShape;

/**
 * Checkpoints of random content as files in memory, and the segments they were flushed from, beside
 * a model of what they hold.
 */
class CheckpointFileTest {
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 1000;
  private static final int WIDTH = TreeShape.FANOUT;
  private static final int REGION_BLOCKS = 1024;

  private final Random random = new Random(20261121);
  private final Hashes hashes = new Hashes();
  private final Map<Long, byte[]> model = new TreeMap<>();

  /** Replicas of segments by number, best first. */
  private final Map<Long, List<byte[]>> segments = new TreeMap<>();

  private final PageCache cache = new PageCache();
  private int names;
  private long bytesRead;

  /** A log segment with new versions of some blocks, some of them zeros; the model follows. */
  private final class Segment {
    final Generation generation = new Generation();
    final long number = segments.size() + 1L;
    final byte[] bytes;

    Segment(int versions) {
      bytes = new byte[versions * BLOCK];
      segments.put(number, List.of(bytes));
      random.nextBytes(bytes);
      for (int i = 0; i < versions; i++) {
        long local = random.nextInt(BLOCKS);
        boolean zero = random.nextInt(4) == 0;
        byte[] data = Arrays.copyOfRange(bytes, i * BLOCK, (i + 1) * BLOCK);
        generation.put(
            local,
            zero ? Generation.ZERO : (long) i * BLOCK,
            zero ? Hashes.zero() : hashes.leaf(ByteBuffer.wrap(data)));
        model.put(local, zero ? new byte[BLOCK] : data);
      }
    }

    byte[] flush(List<CheckpointReader> older) throws Exception {
      return file(
          sink ->
              new CheckpointBuilder(WIDTH, BLOCK, sink)
                  .flush(generation.snapshot(), number, older));
    }
  }

  private static LogReader.Source source(byte[] replica) {
    return (at, into) -> {
      if (at + into.remaining() > replica.length) {
        return false;
      }
      into.put(replica, (int) at, into.remaining());
      return true;
    };
  }

  private byte[] compact(List<CheckpointReader> newestFirst, boolean oldest) throws Exception {
    return file(sink -> new CheckpointBuilder(WIDTH, BLOCK, sink).compact(newestFirst, oldest));
  }

  private interface Content {
    void writeTo(CheckpointSink sink) throws UnreadableException;
  }

  private static byte[] file(Content content) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    CheckpointWriter writer = new CheckpointWriter(out::write);
    content.writeTo(writer);
    writer.finish();
    return out.toByteArray();
  }

  /** Reads blocks that are in segments there, as a region's store does. */
  private CheckpointReader read(byte[] file) throws UnreadableException {
    return new CheckpointWithSegments(
        open(file),
        segment -> segments.get(segment).stream().map(CheckpointFileTest::source).toList(),
        BLOCK);
  }

  private CheckpointReader open(byte[] file) throws UnreadableException {
    LogReader.Source bytes =
        (at, into) -> {
          bytesRead += into.remaining();
          return source(file).read(at, into);
        };
    return new CheckpointFile("f" + names++, bytes, file.length, BLOCK, cache);
  }

  private void assertHoldTheModel(List<CheckpointReader> newestFirst) throws UnreadableException {
    for (long local = 0; local < BLOCKS; local++) {
      ByteBuffer into = ByteBuffer.allocate(BLOCK);
      boolean data = CheckpointLookup.block(local, newestFirst, into);
      assertThat(into.array())
          .as("block " + local)
          .isEqualTo(model.getOrDefault(local, new byte[BLOCK]));
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
    byte[] merged = compact(newestFirst.subList(0, 3), false);
    assertHoldTheModel(List.of(read(merged), newestFirst.get(3)));
    byte[] all = compact(newestFirst, true);
    segments.clear();
    assertHoldTheModel(List.of(read(all)));
  }

  @Test
  void eachBlockIsReadFromAnyReplicaOfItsSegmentInWhichItIsRight() throws Exception {
    Segment segment = new Segment(300);
    CheckpointReader flushed = read(segment.flush(List.of()));
    byte[] whole = compact(List.of(flushed), true);
    byte[] junkAtTheHead = segment.bytes.clone();
    Arrays.fill(junkAtTheHead, 0, segment.bytes.length / 2, (byte) 1);
    byte[] shorter = Arrays.copyOf(segment.bytes, segment.bytes.length / 2 + BLOCK);
    for (List<byte[]> replicas :
        List.of(List.of(junkAtTheHead, shorter), List.of(new byte[0], shorter, junkAtTheHead))) {
      segments.put(segment.number, replicas);
      assertThat(compact(List.of(flushed), true)).isEqualTo(whole);
      assertHoldTheModel(List.of(flushed));
    }
    segments.put(segment.number, List.of(junkAtTheHead, new byte[0]));
    assertThatThrownBy(() -> compact(List.of(flushed), true))
        .isInstanceOf(UnreadableException.class);
    assertThatThrownBy(() -> assertHoldTheModel(List.of(flushed)))
        .isInstanceOf(UnreadableException.class);
  }

  @Test
  void aFlushWritesNoBlockAgain() throws Exception {
    Segment segment = new Segment(3000);
    assertThat(segment.flush(List.of())).hasSizeLessThan(BLOCKS * 64);
  }

  @Test
  void aPagesRootIsThatOfItsNewestBlocks() throws Exception {
    List<CheckpointReader> newestFirst = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      newestFirst.add(0, read(new Segment(200).flush(newestFirst)));
    }
    newestFirst
        .get(0)
        .roots(
            (page, root) -> {
              byte[] leaves = new byte[WIDTH * Hashes.BYTES];
              for (int slot = 0; slot < WIDTH; slot++) {
                byte[] data = model.get(page * WIDTH + slot);
                if (data != null && !Arrays.equals(data, new byte[BLOCK])) {
                  System.arraycopy(
                      hashes.leaf(ByteBuffer.wrap(data)),
                      0,
                      leaves,
                      slot * Hashes.BYTES,
                      Hashes.BYTES);
                }
              }
              assertThat(root).as("root of page " + page).isEqualTo(hashes.root(leaves));
            });
  }

  @Test
  void nothingButTheRootsIsReadForThem() throws Exception {
    for (long firstPage = 0; firstPage < 3; firstPage++) {
      Generation blocks = new Generation();
      byte[] data = new byte[BLOCK];
      for (long local = firstPage * WIDTH; local < BLOCKS; local++) {
        blocks.put(local, 0, hashes.leaf(ByteBuffer.wrap(data)));
      }
      segments.put(1L, List.of(data));
      CheckpointReader flushed =
          read(
              file(
                  sink ->
                      new CheckpointBuilder(WIDTH, BLOCK, sink)
                          .flush(blocks.snapshot(), 1, List.of())));
      byte[] file = compact(List.of(flushed), true);
      bytesRead = 0;
      CheckpointReader reader = read(file);
      List<Long> pages = new ArrayList<>();
      reader.roots((page, root) -> pages.add(page));
      assertThat(pages)
          .containsExactlyElementsOf(
              LongStream.rangeClosed(firstPage, (BLOCKS - 1) / WIDTH).boxed().toList());
      assertThat(bytesRead).as("from page %d on", firstPage).isLessThan(file.length / 10);
    }
  }

  @Test
  void nothingIsReadOfCheckpointsThatDoNotHaveTheBlock() throws Exception {
    Segment older = new Segment(300);
    CheckpointReader oldest = read(older.flush(List.of()));
    long local =
        Arrays.stream(older.generation.snapshot().locals())
            .filter(l -> !Arrays.equals(model.get(l), new byte[BLOCK]))
            .findFirst()
            .orElseThrow();
    Generation neighbours = new Generation();
    for (long l = 0; l < WIDTH; l++) {
      if (l != local) {
        neighbours.put(l, Generation.ZERO, Hashes.zero());
      }
    }
    CheckpointReader newer =
        read(
            file(
                sink ->
                    new CheckpointBuilder(WIDTH, BLOCK, sink)
                        .flush(neighbours.snapshot(), 2, List.of(oldest))));
    bytesRead = 0;
    ByteBuffer into = ByteBuffer.allocate(BLOCK);
    assertThat(CheckpointLookup.block(local, List.of(newer, oldest), into)).isTrue();
    assertThat(into.array()).isEqualTo(model.get(local));
    assertThat(bytesRead).as("the older one's entry is known since the flush").isZero();
    assertThat(newer.has(local)).isFalse();
    assertThat(oldest.has(local)).isTrue();
    assertThat(CheckpointLookup.block(local == 0 ? 1 : 0, List.of(newer, oldest), into))
        .as("a block of zeros hides the older one's")
        .isFalse();
  }

  @Test
  void aTableThatPromisesABlockThatIsNotThereIsAnErrorOfReadsAndOfAScan() throws Exception {
    byte[] file = compact(List.of(read(new Segment(20).flush(List.of()))), true);
    byte[] root = modelRoot();
    ByteBuffer all = ByteBuffer.wrap(file);
    int row =
        (int) all.getLong(file.length - CheckpointWriter.TRAILER + Integer.BYTES) + Integer.BYTES;
    int bits = row + 2 * Long.BYTES;
    all.putLong(bits, -1);
    fitChecksums(file);
    long page = all.getLong(row);
    long missing =
        LongStream.range(page * WIDTH, page * WIDTH + Long.SIZE)
            .filter(l -> Arrays.equals(model.getOrDefault(l, new byte[BLOCK]), new byte[BLOCK]))
            .findFirst()
            .orElseThrow();
    assertThatThrownBy(
            () -> CheckpointLookup.block(missing, List.of(read(file)), ByteBuffer.allocate(BLOCK)))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("does not have block " + missing);
    assertThatThrownBy(() -> check(file, true, root))
        .hasMessage("what the table says of page " + page + " is not so");
  }

  @Test
  void aFileOfAnOlderOrANewerFormatIsRefusedByItsNumber() throws Exception {
    byte[] file = new Segment(100).flush(List.of());
    for (int version : new int[] {CheckpointWriter.FORMAT - 1, CheckpointWriter.FORMAT + 1}) {
      byte[] other = file.clone();
      other[3] = (byte) ('0' + version);
      assertThatThrownBy(() -> read(other))
          .isInstanceOf(UnreadableException.class)
          .hasMessageContaining("was written in format " + version);
    }
  }

  @Test
  void aFlippedByteIsAnErrorOrInAFieldThatNobodyReads() throws Exception {
    byte[] file = compact(List.of(read(new Segment(100).flush(List.of()))), true);
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

  private byte[] check(byte[] file, boolean oldest, byte[] root) throws UnreadableException {
    CheckpointCheck check = new CheckpointCheck(REGION_BLOCKS, oldest);
    CheckpointScan scan = new CheckpointScan(source(file), file.length, BLOCK, check);
    assertThat(scan.read()).isTrue();
    assertThat(scan.crc()).isEqualTo(LogRecord.crc(ByteBuffer.wrap(file)));
    if (scan.problem() != null) {
      throw new UnreadableException(scan.problem());
    }
    check.finish(root);
    return file;
  }

  /** The region's root as of the model. */
  private byte[] modelRoot() {
    byte[] pages = new byte[REGION_BLOCKS / WIDTH * Hashes.BYTES];
    for (int page = 0; page < REGION_BLOCKS / WIDTH; page++) {
      byte[] leaves = new byte[WIDTH * Hashes.BYTES];
      for (int slot = 0; slot < WIDTH; slot++) {
        byte[] data = model.get((long) page * WIDTH + slot);
        if (data != null && !Arrays.equals(data, new byte[BLOCK])) {
          System.arraycopy(
              hashes.leaf(ByteBuffer.wrap(data)), 0, leaves, slot * Hashes.BYTES, Hashes.BYTES);
        }
      }
      System.arraycopy(hashes.root(leaves), 0, pages, page * Hashes.BYTES, Hashes.BYTES);
    }
    return hashes.root(pages);
  }

  @Test
  void aScanFindsTheCheckpointsRightThatWereBuilt() throws Exception {
    List<CheckpointReader> newestFirst = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      byte[] file = new Segment(300).flush(newestFirst);
      newestFirst.add(0, read(check(file, i == 0, modelRoot())));
    }
    check(compact(newestFirst.subList(0, 3), false), false, modelRoot());
    byte[] all = check(compact(newestFirst, true), true, modelRoot());
    assertThatThrownBy(() -> check(all, true, new byte[Hashes.BYTES]))
        .hasMessageContaining("root that was certified");
  }

  @Test
  void aScanTellsUpToWhereItCouldRead() throws Exception {
    byte[] file = compact(List.of(read(new Segment(100).flush(List.of()))), true);
    for (int readable : new int[] {0, 10, file.length / 2, file.length - 1}) {
      LogReader.Source broken =
          (at, into) -> at + into.remaining() <= readable && source(file).read(at, into);
      CheckpointScan scan =
          new CheckpointScan(broken, file.length, BLOCK, new CheckpointCheck(REGION_BLOCKS, true));
      assertThat(scan.read()).isFalse();
      assertThat(scan.end()).isLessThanOrEqualTo(readable);
    }
  }

  @Test
  void aScanFindsEveryFlippedBit() throws Exception {
    byte[] file = compact(List.of(read(new Segment(100).flush(List.of()))), true);
    byte[] root = modelRoot();
    for (int at : random.ints(300, 0, file.length).toArray()) {
      byte[] damaged = file.clone();
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      assertThatThrownBy(() -> check(damaged, true, root))
          .as("byte " + at + " of " + file.length)
          .isInstanceOf(UnreadableException.class);
    }
  }

  @Test
  void aScanFindsEveryWrongByteOfDataHashesAndRoots() throws Exception {
    byte[] file = compact(List.of(read(new Segment(600).flush(List.of()))), true);
    byte[] root = modelRoot();
    byte[] data =
        model.values().stream()
            .filter(d -> !Arrays.equals(d, new byte[BLOCK]))
            .findFirst()
            .orElseThrow();
    long whose =
        model.entrySet().stream()
            .filter(e -> e.getValue() == data)
            .findFirst()
            .orElseThrow()
            .getKey();
    assertWrong(
        file, indexOf(file, data) + 99, root, "block " + whose + " does not have its leaf hash");
    byte[] leaf = hashes.leaf(ByteBuffer.wrap(data));
    assertWrong(file, indexOf(file, leaf), root, "the leaf hashes of page 0 do not have its root");
    byte[][] first = new byte[1][];
    read(file).roots((page, hash) -> first[0] = page == 0 ? hash : first[0]);
    assertWrong(
        file, indexOf(file, first[0]), root, "the leaf hashes of page 0 do not have its root");
    assertWrong(file, lastIndexOf(file, first[0]), root, "what the table says of page 0 is not so");
  }

  private void assertWrong(byte[] file, int at, byte[] root, String message) {
    byte[] damaged = file.clone();
    damaged[at] ^= 0x40;
    fitChecksums(damaged);
    assertThatThrownBy(() -> check(damaged, true, root)).hasMessage(message);
  }

  /** The positions of the first page's entry and of the table. */
  private static void fitChecksums(byte[] file) {
    ByteBuffer all = ByteBuffer.wrap(file);
    int entry = Integer.BYTES;
    all.putInt(
        entry + Integer.BYTES,
        LogRecord.crc(all.slice(entry + 2 * Integer.BYTES, Long.BYTES + all.getInt(entry))));
    int end = file.length - CheckpointWriter.TRAILER;
    int table = (int) all.getLong(end + Integer.BYTES);
    all.putInt(end, LogRecord.crc(all.slice(table, end - table)));
    all.putInt(
        file.length - Integer.BYTES,
        LogRecord.crc(all.slice(end, CheckpointWriter.TRAILER - Integer.BYTES)));
  }

  private static int indexOf(byte[] in, byte[] what) {
    return IntStream.range(0, in.length - what.length)
        .filter(i -> Arrays.equals(in, i, i + what.length, what, 0, what.length))
        .findFirst()
        .orElseThrow();
  }

  private static int lastIndexOf(byte[] in, byte[] what) {
    return IntStream.range(0, in.length - what.length)
        .map(i -> in.length - what.length - 1 - i)
        .filter(i -> Arrays.equals(in, i, i + what.length, what, 0, what.length))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void noFileIsLongerThanTheOneWithAllBlocks() throws Exception {
    byte[] data = new byte[BLOCK];
    random.nextBytes(data);
    byte[] leaf = hashes.leaf(ByteBuffer.wrap(data));
    byte[] all =
        file(
            sink -> {
              for (long first = 0; first < BLOCKS; first += WIDTH) {
                PageEntry page = new PageEntry(first / WIDTH);
                int here = (int) Math.min(WIDTH, BLOCKS - first);
                IntStream.range(0, here).forEach(slot -> page.set(slot, leaf));
                sink.addPage(page);
                for (int slot = 0; slot < here; slot++) {
                  sink.addBlock(first + slot, ByteBuffer.wrap(data));
                }
              }
            });
    assertThat(all.length).isEqualTo(CheckpointWriter.mostBytes(BLOCKS, BLOCK));
  }

  @Test
  void mergedFileIsNoLongerThanItsInputsAndTheirData() throws Exception {
    List<CheckpointReader> newestFirst = new ArrayList<>();
    long most = 0;
    for (int i = 0; i < 8; i++) {
      int versions = 1 + random.nextInt(300);
      byte[] flushed = new Segment(versions).flush(newestFirst);
      newestFirst.add(0, read(flushed));
      most += flushed.length + (long) versions * BLOCK;
      assertThat(compact(newestFirst, true).length).isLessThanOrEqualTo((int) most);
    }
  }
}
