package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.salus.host.DaemonThreads;

/**
 * Writes and fsyncs one file after the other on a thread of its own, and knows what must be there
 * afterwards. A file's content follows from its number. It deletes the oldest files again.
 * Thread-safe.
 */
final class SyncedFiles {
  private static final int LARGEST = 300_000;
  private static final int KEPT = 600;

  private final Path root;
  private final ConcurrentSkipListSet<Integer> files = new ConcurrentSkipListSet<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean enough;
  private volatile IOException failed;
  private volatile int written;
  private volatile long last = System.nanoTime();
  private long longest;

  private SyncedFiles(Path root) {
    this.root = root;
  }

  static SyncedFiles startIn(Path root) {
    SyncedFiles made = new SyncedFiles(root);
    DaemonThreads.start("synced-files", made::write);
    return made;
  }

  private static byte[] content(int number) {
    Random random = new Random(number);
    byte[] content = new byte[random.nextInt(LARGEST)];
    random.nextBytes(content);
    return content;
  }

  private static String name(int number) {
    return "synced-" + number;
  }

  private void write() {
    try {
      for (int i = 0; !enough; i++) {
        writeAndSync(name(i), content(i));
        if (!enough) {
          files.add(i);
          written++;
          done();
        }
        if (files.size() > KEPT) {
          Files.delete(root.resolve(name(files.pollFirst())));
        }
      }
    } catch (IOException e) {
      failed = e;
    } finally {
      ended.countDown();
    }
  }

  private synchronized void done() {
    long now = System.nanoTime();
    longest = Math.max(longest, now - last);
    last = now;
  }

  private void writeAndSync(String name, byte[] content) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            root.resolve(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(content));
      file.force(true);
    }
    try (FileChannel directory = FileChannel.open(root, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /** Files that were fsynced. */
  int count() throws IOException {
    if (failed != null && !enough) {
      throw new IOException("cannot write any more", failed);
    }
    return written;
  }

  /** The longest time between two files since the last call, in milliseconds. */
  synchronized long longestGapMillis() {
    long gap = Math.max(longest, System.nanoTime() - last);
    longest = 0;
    return TimeUnit.NANOSECONDS.toMillis(gap);
  }

  /** Stops counting: files fsynced from here on may be lost by what the test does to the disk. */
  void enough() {
    enough = true;
  }

  /** Stops writing. Waits for the last file. */
  void stop() throws InterruptedException, IOException {
    count();
    enough();
    ended.await();
  }

  /**
   * Compares one random file with its right content. Reads it from the disk when its pages were
   * dropped before.
   */
  void checkOneIn(Path where, Random random, MountedDisk disk)
      throws IOException, InterruptedException {
    List<Integer> all = List.copyOf(files);
    if (all.isEmpty()) {
      return;
    }
    int number = all.get(random.nextInt(all.size()));
    Path file = where.resolve(name(number));
    try {
      disk.dropPagesOf(file);
      assertThat(Files.readAllBytes(file)).as(name(number)).isEqualTo(content(number));
    } catch (IOException gone) {
      if (files.contains(number) || Files.exists(file)) {
        throw gone;
      }
    }
  }

  void assertWholeIn(Path where) throws IOException {
    for (int number : files) {
      assertThat(Files.readAllBytes(where.resolve(name(number))))
          .as(name(number))
          .isEqualTo(content(number));
    }
  }
}
