package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.salus.client.VolumeInfo;
import org.salus.dist.hbase.LocalCluster;

/** The files in which DataNodes keep their replicas. */
final class BlockFiles {
  private static final int BLOCK = 4096;
  private static final int TRIES = 20;

  private BlockFiles() {}

  /**
   * Flips a byte of a volume's block in one of the {@linkplain #having replicas that have it};
   * returns that replica.
   *
   * @param which the number of the replica, from 0; the last one when there are fewer
   */
  static Path flip(Path dir, byte[] content, int block, String magic, int which)
      throws IOException {
    return whileFilesMove(
        dir,
        () -> {
          List<Path> replicas = lookFor(dir, content, block, magic);
          if (replicas.isEmpty()) {
            throw new IOException("no replica has block " + block);
          }
          Path replica = replicas.get(Math.min(which, replicas.size() - 1));
          flip(replica, content, block);
          return replica;
        });
  }

  /** Flips a byte of a volume's block in every replica that has it; returns how many these were. */
  static int flipAll(Path dir, byte[] content, int block) throws IOException {
    AtomicInteger flipped = new AtomicInteger();
    return whileFilesMove(
        dir,
        () -> {
          for (Path replica : lookFor(dir, content, block, "")) {
            flip(replica, content, block);
            flipped.incrementAndGet();
          }
          return flipped.get();
        });
  }

  private static void flip(Path replica, byte[] content, int block) throws IOException {
    byte[] bytes = Files.readAllBytes(replica);
    try (FileChannel f = FileChannel.open(replica, StandardOpenOption.WRITE)) {
      int at = find(bytes, content, block) + 99;
      f.write(ByteBuffer.wrap(new byte[] {(byte) (bytes[at] ^ 0x40)}), at);
    }
  }

  /**
   * The replicas, in the order of their paths, that have this block as it is in the volume, of
   * files that begin with this.
   *
   * @param content of the volume
   */
  static List<Path> having(Path dir, byte[] content, int block, String magic) throws IOException {
    return whileFilesMove(dir, () -> lookFor(dir, content, block, magic));
  }

  /** The replicas of the newest log segment of a volume's first region. */
  static List<Path> ofNewestSegment(LocalCluster cluster, VolumeInfo volume) throws IOException {
    String directory = "/salus/" + volume.name() + "-" + volume.id() + "/0000";
    String block;
    try (DFSClient hdfs = HdfsOf.cluster(cluster)) {
      String newest =
          Arrays.stream(hdfs.listPaths(directory, HdfsFileStatus.EMPTY_NAME).getPartialListing())
              .map(HdfsFileStatus::getLocalName)
              .filter(name -> name.startsWith("log-"))
              .max(Comparator.naturalOrder())
              .orElseThrow();
      block =
          hdfs.getLocatedBlocks(directory + "/" + newest, 0)
              .getLastLocatedBlock()
              .getBlock()
              .getBlockName();
    }
    List<Path> replicas =
        all(cluster.dir().resolve("hdfs")).stream()
            .filter(f -> f.getFileName().toString().equals(block))
            .toList();
    assertThat(replicas).hasSize(3);
    return replicas;
  }

  /** All replicas below this directory, in the order of their paths. */
  static List<Path> all(Path dir) throws IOException {
    return whileFilesMove(dir, () -> list(dir));
  }

  private static List<Path> list(Path dir) throws IOException {
    try (Stream<Path> files = Files.walk(dir)) {
      return files.filter(f -> f.getFileName().toString().matches("blk_\\d+")).sorted().toList();
    }
  }

  private interface Look<T> {
    T look() throws IOException;
  }

  /** DataNodes move and delete replicas while somebody looks at them. */
  private static <T> T whileFilesMove(Path dir, Look<T> look) throws IOException {
    for (int left = TRIES; left > 0; left--) {
      try {
        return look.look();
      } catch (NoSuchFileException | UncheckedIOException moved) {
        continue;
      }
    }
    throw new IOException("the replicas below " + dir + " are moved all the time");
  }

  private static List<Path> lookFor(Path dir, byte[] content, int block, String magic)
      throws IOException {
    List<Path> having = new ArrayList<>();
    for (Path replica : list(dir)) {
      byte[] bytes = Files.readAllBytes(replica);
      boolean isKind =
          new String(bytes, 0, Math.min(bytes.length, magic.length()), StandardCharsets.ISO_8859_1)
              .equals(magic);
      if (isKind && find(bytes, content, block) >= 0) {
        having.add(replica);
      }
    }
    return having;
  }

  private static int find(byte[] bytes, byte[] content, int block) {
    int from = block * BLOCK;
    for (int at = 0; at + BLOCK <= bytes.length; at++) {
      if (bytes[at] == content[from]
          && Arrays.equals(bytes, at, at + BLOCK, content, from, from + BLOCK)) {
        return at;
      }
    }
    return -1;
  }
}
