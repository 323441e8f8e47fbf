package org.salus.core.member;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.effect.Effect;
import org.salus.core.message.Message;

/** Collects the effects of one event. */
final class Outbox {
  private List<Effect> effects = new ArrayList<>();

  void add(Effect e) {
    effects.add(e);
  }

  void send(Endpoint to, Message m) {
    add(new Effect.Send(to, m, null));
  }

  void send(Endpoint to, Message m, ByteBuffer payload) {
    add(new Effect.Send(to, m, payload));
  }

  List<Effect> take() {
    List<Effect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }
}
