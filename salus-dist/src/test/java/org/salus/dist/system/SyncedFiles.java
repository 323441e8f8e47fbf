package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Writes and fsyncs one file after the other, in a thread of its own, and remembers what must be there afterwards. */
final class SyncedFiles {
  private static final int LARGEST = 300_000;

  private final Path root;
  private final Map<String, byte[]> files = new ConcurrentHashMap<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean enough;
  private volatile IOException failed;

  private SyncedFiles(Path root) {
    this.root = root;
  }

  static SyncedFiles startIn(Path root) {
    SyncedFiles made = new SyncedFiles(root);
    Thread writer = new Thread(made::write, "synced-files");
    writer.setDaemon(true);
    writer.start();
    return made;
  }

  private void write() {
    Random random = new Random(17);
    try {
      for (int i = 0; !enough; i++) {
        byte[] content = new byte[random.nextInt(LARGEST)];
        random.nextBytes(content);
        writeAndSync("synced-" + i, content);
        if (!enough) {
          files.put("synced-" + i, content);
        }
      }
    } catch (IOException e) {
      failed = e;
    } finally {
      ended.countDown();
    }
  }

  private void writeAndSync(String name, byte[] content) throws IOException {
    try (FileChannel file = FileChannel.open(root.resolve(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(content));
      file.force(true);
    }
    try (FileChannel directory = FileChannel.open(root, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /** Files that are on disk. */
  int count() throws IOException {
    if (failed != null && !enough) {
      throw new IOException("cannot write any more", failed);
    }
    return files.size();
  }

  /** What is fsynced from here on does not count: whatever is done to the disk may come between. */
  void enough() {
    enough = true;
  }

  /** No more files; waits for the last one. */
  void stop() throws InterruptedException, IOException {
    count();
    enough();
    ended.await();
  }

  void assertWholeIn(Path where) throws IOException {
    for (Map.Entry<String, byte[]> e : files.entrySet()) {
      assertThat(Files.readAllBytes(where.resolve(e.getKey()))).as(e.getKey()).isEqualTo(e.getValue());
    }
  }
}
