package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.client.VolumeInfo.Member;
import org.salus.core.checkpoint.CheckpointWriter;
import org.salus.core.log.LogRecord;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.EmbeddedCluster;

/** One byte of one replica is wrong on disk. Reads stay right, and the log reports the damage. */
@Tag("cluster")
@Tag("embedded")
class DamageTest {
  private static final int ATTEMPTS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 3000;
  private static final String CHECKPOINT = "SAC" + CheckpointWriter.FORMAT;

  @TempDir Path dir;

  private static final Logger SALUS = Logger.getLogger("org.salus");

  private final Queue<String> errors = new ConcurrentLinkedQueue<>();
  private final AppenderSkeleton appender =
      new AppenderSkeleton() {
        @Override
        protected void append(LoggingEvent event) {
          boolean byRepair =
              event.getLoggerName().endsWith(".ReplicaScrub"); // which the first report has set off
          if (event.getLevel().isGreaterOrEqual(Level.ERROR) && !byRepair) {
            errors.add(event.getRenderedMessage());
          }
        }

        @Override
        public void close() {}

        @Override
        public boolean requiresLayout() {
          return false;
        }
      };

  @BeforeEach
  void listen() {
    SALUS.setLevel(Level.INFO);
    SALUS.addAppender(appender);
  }

  @AfterEach
  void stopListening() {
    SALUS.removeAppender(appender);
    SALUS.setLevel(null);
  }

  @Test
  void aFlippedByteOfASegmentOrACheckpointIsToldAndNeverRead() throws Exception {
    byte[] content = new byte[BLOCKS * BLOCK];
    new Random(11).nextBytes(content);
    try (EmbeddedCluster cluster =
            EmbeddedCluster.start(dir, 4, Map.of("salus.scrub.rate", "0"), step -> {});
        SalusClient client =
            SalusClient.connect(
                Map.of(
                    "salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "1m"))) {
      client.create("disk", content.length, new SalusClient.CreateOptions(BLOCK, false, 1));
      try (Volume v = client.open("disk")) {
        v.write(0, ByteBuffer.wrap(content)).join();
        v.flush().join();
        int inCheckpoint = 10;
        Await.until(
            "every full segment is flushed, and the oldest are merged",
            Duration.ofSeconds(60),
            () -> merged(client.info("disk")));
        assertThat(errors).isEmpty();
        int inLog = BLOCKS - 10;
        Predicate<String> byHash =
            e ->
                e.contains(
                    "sent blocks that the volume tree does not confirm (block " + inLog + ":");
        damageUntilReported(
            client,
            v,
            content,
            inLog,
            "SAL" + LogRecord.FORMAT,
            byHash,
            () -> {
              content[inLog * BLOCK]++; // so that no older segment has it
              v.write((long) inLog * BLOCK, ByteBuffer.wrap(content, inLog * BLOCK, BLOCK)).join();
              v.flush().join();
            });
        Predicate<String> byMember =
            e ->
                e.contains("the replica of checkpoint")
                    && e.endsWith("block " + inCheckpoint + " is not what was certified");
        damageUntilReported(client, v, content, inCheckpoint, CHECKPOINT, byMember, () -> {});
        ByteBuffer all = ByteBuffer.allocate(content.length);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(content);
      }
    }
  }

  /** Whether a compaction has merged the checkpoints of twelve segments, of which one is open. */
  private static boolean merged(VolumeInfo info) {
    return info.regions().get(0).members().stream()
        .map(Member::status)
        .allMatch(
            s ->
                s != null
                    && s.segments() <= 2
                    && s.checkpoints() > 0
                    && s.checkpoints() < 8
                    && s.builds() == 0);
  }

  /**
   * Damages a replica until the log reports it. A flush or compaction may have just replaced the
   * file, which is then no longer read; then it damages another replica.
   *
   * @param told the log line about the damage
   */
  private void damageUntilReported(
      SalusClient client,
      Volume v,
      byte[] content,
      int block,
      String magic,
      Predicate<String> told,
      Runnable before)
      throws Exception {
    StringBuilder unheard = new StringBuilder();
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      before.run();
      Path damaged = BlockFiles.flip(dir, content, block, magic, attempt);
      long begin = System.nanoTime();
      int reads = 0;
      long longest = 0;
      while (System.nanoTime() - begin < PATIENCE.toNanos()) {
        ByteBuffer into = ByteBuffer.allocate(BLOCK);
        long since = System.nanoTime();
        v.read((long) block * BLOCK, into).join(); // another member each time
        assertThat(into.array())
            .isEqualTo(Arrays.copyOfRange(content, block * BLOCK, (block + 1) * BLOCK));
        longest = Math.max(longest, System.nanoTime() - since);
        reads++;
        Optional<String> report = errors.stream().filter(told).findFirst();
        if (report.isPresent()) {
          System.out.println("reported: " + report.get());
          return;
        }
      }
      unheard.append(
          String.format(
              "%nnot by %d reads of at most %d ms, the replica being %s; right are %s",
              reads, longest / 1_000_000, damaged, BlockFiles.having(dir, content, block, magic)));
    }
    fail(
        "The damage of block "
            + block
            + " was not reported:"
            + unheard
            + "; errors: "
            + errors
            + "; "
            + client.info("disk"));
  }
}
