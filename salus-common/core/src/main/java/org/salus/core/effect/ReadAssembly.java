package org.salus.core.effect;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.checkpoint.CheckpointLookup;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.UnreadableException;

/**
 * Reads what a {@link MemberEffect.ServeGet} asks for, in the order and form in which the session
 * wants it. Not thread-safe.
 */
public final class ReadAssembly {

  /** This member's own replicas of log segments. */
  public interface Segments {
    /** Fills {@code into} from an offset in bytes. Returns false if that is not possible. */
    boolean read(long segment, long offset, ByteBuffer into);
  }

  private final MemberEffect.ServeGet get;
  private final int blockSize;
  private final byte[] zero;
  private final ByteBuffer data;
  private int block;

  public ReadAssembly(MemberEffect.ServeGet get, int blockSize) {
    this.get = get;
    this.blockSize = blockSize;
    this.zero = new byte[(get.count() + 7) / 8];
    int blocks =
        get.pieces().stream()
            .mapToInt(p -> p.kind() == MemberEffect.Piece.Kind.ZERO ? 0 : p.blocks())
            .sum();
    this.data = ByteBuffer.allocate(blocks * blockSize);
  }

  /**
   * @param checkpoints the open checkpoints, as the effect names them; null if one is missing
   * @return false if something cannot be read
   */
  public boolean run(Segments segments, List<? extends CheckpointReader> checkpoints) {
    for (MemberEffect.Piece p : get.pieces()) {
      boolean ok =
          switch (p.kind()) {
            case ZERO -> skip(p);
            case LOG -> log(p, segments);
            case CHECKPOINT -> checkpoints != null && lookUp(p, checkpoints);
          };
      if (!ok) {
        return false;
      }
    }
    data.flip();
    return true;
  }

  private boolean skip(MemberEffect.Piece p) {
    for (int i = 0; i < p.blocks(); i++) {
      markZero();
    }
    return true;
  }

  private boolean log(MemberEffect.Piece p, Segments segments) {
    int bytes = p.blocks() * blockSize;
    boolean ok = segments.read(p.segment(), p.offset(), data.slice(data.position(), bytes));
    data.position(data.position() + bytes);
    block += p.blocks();
    return ok;
  }

  private boolean lookUp(MemberEffect.Piece p, List<? extends CheckpointReader> checkpoints) {
    try {
      for (int i = 0; i < p.blocks(); i++) {
        if (CheckpointLookup.block(get.first() + block, checkpoints, data)) {
          block++;
        } else {
          markZero();
        }
      }
      return true;
    } catch (UnreadableException e) {
      return false; // an expected fault: the session asks another member
    }
  }

  private void markZero() {
    zero[block / 8] |= (byte) (1 << block % 8);
    block++;
  }

  /** One bit a block, set where it reads as zeros. */
  public byte[] zeroBits() {
    return zero;
  }

  /** The blocks that are not zeros, in order. */
  public ByteBuffer data() {
    return data;
  }
}
