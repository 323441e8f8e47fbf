package org.salus.host.netty;

import org.salus.host.FaultHandler;

/** The transport without native code, as on a system for which there is none. */
class PortableTransportTest extends FrameTransportTest {
  @Override
  Loops loops(FaultHandler faults) {
    return new Loops("test", 2, faults, false);
  }
}
