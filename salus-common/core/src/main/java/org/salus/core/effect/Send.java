package org.salus.core.effect;

import java.nio.ByteBuffer;
import org.salus.core.Endpoint;
import org.salus.core.message.Message;

/**
 * Sends a message; {@code payload} may be null. A host may lose a message; the receiver detects an
 * altered one. Members and sessions send.
 */
public record Send(Endpoint to, Message message, ByteBuffer payload)
    implements MemberEffect, SessionEffect {
  @Override
  public void performBy(MemberEffect.Handler handler) {
    handler.send(this);
  }

  @Override
  public void performBy(SessionEffect.Handler handler) {
    handler.send(this);
  }
}
