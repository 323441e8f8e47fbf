package org.salus.client.cluster;

import java.util.concurrent.Executor;
import java.util.function.Function;
import org.salus.client.loop.VolumeLoop;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.mount.EarlierReaders;
import org.salus.core.mount.MountConfig;
import org.salus.core.session.SessionConfig;

/**
 * What a mount of a volume needs.
 *
 * @param mount the times of leases, and whether a volume that is mounted again may lack what was
 *     acknowledged
 * @param earlier what this client has seen of the volume's readers
 * @param secret the cluster's secret; empty for none
 * @param transports makes the transport of a session
 * @param loop the loop on which the volume's work runs
 * @param blocking runs calls that wait for ZooKeeper, one after the other
 * @param note keeps what another process needs to go on for the user
 */
public record MountTools(
    SessionConfig session,
    MountConfig mount,
    EarlierReaders earlier,
    byte[] secret,
    WriterStore store,
    Function<Endpoint.Session, SessionTransport> transports,
    VolumeLoop loop,
    Executor blocking,
    HandleNote note) {

  /** A signer with the cluster's secret. */
  public Signer signer() {
    return new Signer(secret);
  }
}
