package org.salus.benchmarks.micro;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.log.Durable;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.Position;
import org.salus.core.log.Put;
import org.salus.core.log.SubBatch;
import org.salus.core.tree.Hashes;

/**
 * The data of the benchmarks, the same in every run: a volume of 64 GiB in one region, and batches
 * of its 4 KiB blocks.
 */
public final class Samples {
  /** Bytes of a block. */
  public static final int BLOCK = 4 << 10;

  /**
   * Blocks that benchmarks write to, so that trees and generations reach a size and stay there: 512
   * MiB.
   */
  public static final int WORKING_SET = 1 << 17;

  public static final VolumeSpec SPEC = spec(1);
  public static final RegionId REGION = SPEC.regionId(0);
  static final long MOUNT = 7;
  static final int EPOCH = 3;
  static final List<String> MEMBERS = List.of("node1:16020", "node2:16020", "node3:16020");
  private static final long SEED = 42;

  private Samples() {}

  static VolumeSpec spec(int regions) {
    return new VolumeSpec("disk0", 0x5a1505, BLOCK, 1L << 24, regions, false, 64 << 20);
  }

  static Signer signer() {
    return new Signer("the secret of a cluster".getBytes(StandardCharsets.UTF_8));
  }

  /** Blocks of noise, in an array. */
  static ByteBuffer payload(int blocks) {
    byte[] bytes = new byte[blocks * BLOCK];
    new Random(SEED).nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }

  /**
   * A sub-batch that overwrites so many blocks of the working set, anywhere in it or side by side.
   */
  public static SubBatch subBatch(int blocks, boolean random, long first) {
    Random r = new Random(SEED + first);
    long start = r.nextInt(WORKING_SET - blocks);
    byte[] leaf = new Hashes().leaf(payload(1));
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < blocks; i++) {
      puts.add(new Put(first + i, random ? r.nextInt(WORKING_SET) : start + i, 1, leaf));
    }
    return new SubBatch(
        MOUNT,
        1,
        first,
        first + blocks - 1,
        first - 1,
        first - 1,
        new Durable(first - 1, leaf),
        new SubBatch.Participants(0, List.of(0), List.of(EPOCH)),
        SubBatch.PrevLeader.NONE,
        false,
        leaf,
        puts);
  }

  /** The record of a sub-batch with this payload. */
  static LogRecord record(byte[] content, byte[] origin, ByteBuffer payload) {
    Position at = new Position(5, 1 << 20);
    return new LogRecord(
        new LogRequest(LogRecord.Type.PUT, REGION, EPOCH, content, LogRecord.crc(payload)),
        at,
        payload.remaining(),
        origin);
  }

  static LogRecord record(int blocks) {
    ByteBuffer payload = payload(blocks);
    byte[] content = subBatch(blocks, false, 1000).encode();
    byte[] origin =
        new LogRequest(LogRecord.Type.PUT, REGION, EPOCH, content, LogRecord.crc(payload))
            .sign(MOUNT, signer());
    return record(content, origin, payload);
  }

  /** The signatures of all members. */
  static List<byte[]> certificate(LogRecord r, Signer signer) {
    return MEMBERS.stream().map(m -> signer.sign(m, r.headerBuffer())).toList();
  }
}
