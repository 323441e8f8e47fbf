package org.salus.core.member;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.message.Message;

/** Collects the effects of one event. */
final class Outbox {
  private List<MemberEffect> effects = new ArrayList<>();

  void add(MemberEffect e) {
    effects.add(e);
  }

  void send(Endpoint to, Message m) {
    add(new Send(to, m, null));
  }

  void send(Endpoint to, Message m, ByteBuffer payload) {
    add(new Send(to, m, payload));
  }

  List<MemberEffect> take() {
    List<MemberEffect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }
}
