package org.salus.sim.explore.automaton;

import java.nio.ByteBuffer;
import org.salus.core.Endpoint;
import org.salus.core.message.Message;

/** A message on its way, and the event of its arrival. */
public record Parcel(Endpoint from, Endpoint to, Message message, ByteBuffer payload) {}
