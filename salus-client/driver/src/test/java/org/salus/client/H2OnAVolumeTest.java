package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.store.fs.FileBaseDefault;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.salus.client.nio.VolumeChannel;

/** H2's key-value store on a window of a volume, over members in memory. */
class H2OnAVolumeTest {
  private static final long OFFSET = 3 * LiveMemoryVolume.BLOCK + 100;
  private static final long SIZE = 32 << 20;

  /** The volume of H2's scheme {@code salus:}, and the lengths of the files there, of which one. */
  private static volatile Volume volume;

  private static final Map<String, Long> LENGTHS = new ConcurrentHashMap<>();

  /** A file name of the scheme. What it wraps is not used. */
  public static final class OnAVolume extends FilePathWrapper {
    @Override
    public String getScheme() {
      return "salus";
    }

    @Override
    public boolean exists() {
      return name.equals("salus:/") || LENGTHS.containsKey(name);
    }

    @Override
    public long size() {
      return LENGTHS.getOrDefault(name, 0L);
    }

    @Override
    public boolean createFile() {
      return LENGTHS.putIfAbsent(name, 0L) == null;
    }

    @Override
    public boolean canWrite() {
      return true;
    }

    @Override
    public FileChannel open(String mode) {
      LENGTHS.putIfAbsent(name, 0L);
      return new File(name);
    }
  }

  /** A file that grows and shrinks inside of a window, which does not. */
  private static final class File extends FileBaseDefault {
    private final String name;
    private final VolumeChannel channel;

    File(String name) {
      this.name = name;
      this.channel = new VolumeChannel(volume, OFFSET, SIZE);
    }

    @Override
    public long size() {
      return LENGTHS.get(name);
    }

    @Override
    public int read(ByteBuffer dst, long position) throws IOException {
      int most = (int) Math.min(dst.remaining(), size() - position);
      if (most <= 0) {
        return -1;
      }
      int n = channel.read(dst.slice(dst.position(), most), position);
      dst.position(dst.position() + n);
      return n;
    }

    @Override
    public int write(ByteBuffer src, long position) throws IOException {
      int n = channel.write(src, position);
      LENGTHS.merge(name, position + n, Math::max);
      return n;
    }

    @Override
    protected void implTruncate(long size) {
      LENGTHS.merge(name, size, Math::min);
    }

    @Override
    public void force(boolean metaData) throws IOException {
      channel.force(metaData);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
      return channel.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
      channel.close();
    }
  }

  private LiveMemoryVolume live;

  @BeforeEach
  void open() throws Exception {
    live = new LiveMemoryVolume(16 << 10);
    volume = live.volume;
    FilePath.register(new OnAVolume());
  }

  @AfterEach
  void stop() throws Exception {
    live.close();
  }

  /** Commits and goes back at random, closes in order and without, and compares each time. */
  @Test
  void storeHasWhatWasCommittedAfterEachOpen() throws Exception {
    Random random = new Random(7);
    String file = "salus:/store";
    TreeMap<Integer, String> committed = new TreeMap<>();
    for (int round = 0; round < 12; round++) {
      MVStore store = new MVStore.Builder().fileName(file).autoCommitDisabled().cacheSize(1).open();
      MVMap<Integer, String> map = store.openMap("map");
      assertThat(new TreeMap<>(map)).as("round %d", round).isEqualTo(committed);
      for (int commit = 0; commit < 10; commit++) {
        TreeMap<Integer, String> next = new TreeMap<>(committed);
        for (int i = 0; i < 200; i++) {
          int key = random.nextInt(2_000);
          if (random.nextInt(4) == 0) {
            map.remove(key);
            next.remove(key);
          } else {
            String value = key + "x".repeat(random.nextInt(300)) + round;
            map.put(key, value);
            next.put(key, value);
          }
        }
        if (random.nextInt(4) == 0) {
          store.rollback();
          map = store.openMap("map");
        } else {
          store.commit();
          committed = next;
        }
      }
      if (random.nextBoolean()) {
        store.sync();
        store.closeImmediately();
      } else {
        store.close();
      }
    }
    assertThat(committed).hasSizeGreaterThan(1_000);
    assertThat(volume.statistics().failures()).isZero();
    assertThat(volume.statistics().writes()).isGreaterThan(100);
  }
}
