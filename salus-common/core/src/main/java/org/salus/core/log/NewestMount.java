package org.salus.core.log;

import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The newest mount in a region's log. Older ones are fenced.
 *
 * @param epoch its mount epoch, 0 before the first mount
 * @param proof that its session has asked for it, see {@link MountBody#proof}; empty before the
 *     first mount
 * @param resolved whether it has committed its prefix
 * @param view its newest view
 */
public record NewestMount(long epoch, byte[] proof, boolean resolved, int view) {
  static final NewestMount NONE = new NewestMount(0, new byte[0], false, 0);

  NewestMount withResolution() {
    return new NewestMount(epoch, proof, true, view);
  }

  NewestMount withView(int newest) {
    return new NewestMount(epoch, proof, resolved, newest);
  }

  void encode(Encoder e) {
    e.i64(epoch).bytes(proof).bool(resolved).i32(view);
  }

  static NewestMount decode(Decoder d) throws MalformedException {
    return new NewestMount(d.i64(), d.bytes(), d.bool(), d.i32());
  }
}
