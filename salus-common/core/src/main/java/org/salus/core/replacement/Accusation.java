package org.salus.core.replacement;

import java.nio.ByteBuffer;
import org.salus.core.Signer;
import org.salus.core.wire.Encoder;

/**
 * A session's signed word to the master against a member, such as that the volume tree does not
 * confirm its answer (paper §4.2.2, §4.3). The master should go on without that member. Nobody else
 * can check the tree, so only the signature of the volume's present writer counts.
 *
 * @param volume the volume's id
 * @param epoch the region's epoch in which the answer was given
 * @param lane the lane whose member gave it
 * @param mountEpoch the mount epoch of the session
 * @param cause the accusation: WRONG_ANSWER, which is certain; DISAGREED, if another member may be
 *     the wrong one; or STALLED, if another may be at fault
 * @param what a description of what differed
 */
public record Accusation(
    long volume, int region, int epoch, int lane, long mountEpoch, Cause cause, String what) {

  private ByteBuffer signed() {
    Encoder e =
        new Encoder(96 + what.length())
            .string("accusation")
            .i64(volume)
            .i32(region)
            .i32(epoch)
            .i32(lane)
            .i64(mountEpoch);
    return ByteBuffer.wrap(e.string(cause.name()).string(what).toBytes());
  }

  /** The session's signature. */
  public byte[] sign(Signer signer) {
    return signer.sign(Signer.sessionName(volume, mountEpoch), signed());
  }

  public boolean isSigned(byte[] signature, Signer signer) {
    return signer.verifies(Signer.sessionName(volume, mountEpoch), signature, signed());
  }
}
