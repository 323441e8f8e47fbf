package org.salus.sim.parts;

import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;

/** Makes sessions. */
@FunctionalInterface
public interface SessionMaker {
  VolumeSession make(VolumeSpec spec, long mountEpoch, Signer signer, SessionConfig config);
}
