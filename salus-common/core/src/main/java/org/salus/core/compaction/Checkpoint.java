package org.salus.core.compaction;

import java.util.List;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * A finished checkpoint: the newest version of each block in a run of log segments.
 *
 * @param id number of its file
 * @param level the size class, see {@link Checkpoints#level(long, long)}; at 0 the blocks' data is
 *     in the segment
 * @param first the first segment whose content it has
 * @param last the last such segment
 * @param length bytes of the file
 * @param crc CRC32C of the file
 * @param root the region's root with this checkpoint and all older ones
 */
public record Checkpoint(
    long id, int level, long first, long last, long length, int crc, byte[] root) {
  private static final int HASH = 32;

  /**
   * The last segment whose content is in one of these checkpoints, oldest first; 0 when there is
   * none.
   */
  public static long lastSegment(List<Checkpoint> live) {
    return live.isEmpty() ? 0 : live.get(live.size() - 1).last();
  }

  public void encode(Encoder e) {
    e.i64(id).i32(level).i64(first).i64(last).i64(length).i32(crc).raw(root);
  }

  public static Checkpoint decode(Decoder d) throws MalformedException {
    return new Checkpoint(d.i64(), d.i32(), d.i64(), d.i64(), d.i64(), d.i32(), d.raw(HASH));
  }
}
