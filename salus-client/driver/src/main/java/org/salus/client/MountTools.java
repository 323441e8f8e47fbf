package org.salus.client;

import java.util.concurrent.Executor;
import java.util.function.Function;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.session.SessionConfig;

/**
 * What mounting a volume takes.
 *
 * @param secret the cluster's
 * @param transports makes a session's way to the members
 * @param loop on which the volume's work runs
 * @param blocking runs what waits for ZooKeeper, one after the other
 */
record MountTools(
    SessionConfig session,
    byte[] secret,
    WriterStore store,
    Function<Endpoint.Session, SessionTransport> transports,
    VolumeLoop loop,
    Executor blocking) {

  /** A signer for one thread. */
  Signer signer() {
    return new Signer(secret);
  }
}
