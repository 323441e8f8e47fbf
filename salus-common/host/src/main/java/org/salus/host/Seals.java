package org.salus.host;

import java.nio.ByteBuffer;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.message.Envelope;
import org.salus.core.message.ForgedException;
import org.salus.core.message.Message;
import org.salus.core.wire.MalformedException;

/** Seals and opens the envelopes of frames, with a signer for each thread. Thread-safe. */
public final class Seals {
  private final ThreadLocal<Signer> signers;

  /**
   * @param secret the cluster's
   */
  public Seals(byte[] secret) {
    byte[] own = secret.clone();
    signers = ThreadLocal.withInitial(() -> new Signer(own));
  }

  /** The head of a message's frame. */
  public ByteBuffer head(Endpoint from, Endpoint to, Message message) {
    return ByteBuffer.wrap(new Envelope(from, to, message).encode(signers.get()));
  }

  /**
   * Reads the head of a frame.
   *
   * @throws MalformedException when it is no envelope
   * @throws ForgedException when its sender has not sealed it
   */
  public Envelope open(ByteBuffer head) throws MalformedException, ForgedException {
    return Envelope.decode(head).open(signers.get());
  }
}
