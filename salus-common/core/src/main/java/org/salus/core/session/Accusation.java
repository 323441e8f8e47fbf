package org.salus.core.session;

import java.nio.ByteBuffer;
import org.salus.core.Signer;
import org.salus.core.replacement.Cause;
import org.salus.core.wire.Encoder;

/**
 * A session's word against a member, such as that it answered with what the volume tree does not
 * confirm: the master is to go on without that member. Nobody else can check the tree, so it counts
 * only with the signature of the mount that is the volume's writer.
 *
 * @param volume its id
 * @param epoch of the region in which the answer was given
 * @param lane whose member gave it
 * @param mountEpoch the session's
 * @param cause what the member is accused of: WRONG_ANSWER, which is certain; DISAGREED, where it
 *     may be another one that is wrong; or STALLED, where it may be another one's fault
 * @param what differed, in words
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
