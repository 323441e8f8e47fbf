package org.salus.core.session;

import java.nio.ByteBuffer;
import org.salus.core.Signer;
import org.salus.core.wire.Encoder;

/**
 * A session's word that a member answered with what the volume tree does not confirm: the master is to go on without that
 * member. Nobody else can check the tree, so it counts only with the signature of the mount that is the volume's writer.
 *
 * @param volume its id
 * @param epoch of the region in which the answer was given
 * @param lane whose member gave it
 * @param mountEpoch the session's
 * @param what differed, in words
 */
public record Accusation(long volume, int region, int epoch, int lane, long mountEpoch, String what) {

  private ByteBuffer signed() {
    Encoder e = new Encoder(64 + what.length()).string("accusation").i64(volume).i32(region).i32(epoch).i32(lane).i64(mountEpoch).string(what);
    return ByteBuffer.wrap(e.toBytes());
  }

  /** The session's signature. */
  public byte[] sign(Signer signer) {
    return signer.sign(Signer.sessionName(volume, mountEpoch), signed());
  }

  public boolean isSigned(byte[] signature, Signer signer) {
    return signer.verifies(Signer.sessionName(volume, mountEpoch), signature, signed());
  }
}
