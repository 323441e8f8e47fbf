package org.salus.core.compaction;

import java.util.List;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * A region's checkpoints.
 *
 * @param live the live ones, oldest first
 * @param next no checkpoint has this number or a higher one
 * @param building those that are being built
 */
public record CheckpointSet(List<Checkpoint> live, long next, List<BuildBody> building) {
  static final CheckpointSet NONE = new CheckpointSet(List.of(), 1, List.of());

  /** The last segment whose content is in a checkpoint, 0 when there is none. */
  public long lastFlushed() {
    return Checkpoint.lastSegment(live);
  }

  /** Whether nobody needs the file of the checkpoint with this number any more. */
  public boolean discards(long id) {
    return id < next
        && building.stream().noneMatch(b -> b.checkpoint() == id)
        && live.stream().noneMatch(c -> c.id() == id);
  }

  public void encode(Encoder e) {
    e.list(live, (x, c) -> c.encode(x)).i64(next).list(building, (x, b) -> b.encode(x));
  }

  public static CheckpointSet decode(Decoder d) throws MalformedException {
    return new CheckpointSet(d.list(Checkpoint::decode), d.i64(), d.list(BuildBody::decode));
  }
}
