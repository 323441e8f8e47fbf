package org.salus.client.cluster;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.salus.core.Endpoint;
import org.salus.core.Reason;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.message.Message;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeDirectory;
import org.salus.host.zk.Watch;

/**
 * Reaches members over the client's connections. Finds their servers in the volume's records in
 * ZooKeeper. Thread-safe.
 */
public final class NodeTransport implements SessionTransport {
  private final VolumeSpec spec;
  private final Endpoint.Session self;
  private final ClusterStore store;
  private final Nodes nodes;
  private final Signer signer;

  /** Null until it is open. */
  private VolumeDirectory directory;

  private Watch troubles;

  /** What keeps all volumes from what they should do. */
  private volatile Optional<Reason> trouble = Optional.empty();

  public NodeTransport(
      VolumeSpec spec, Endpoint.Session self, ClusterStore store, Nodes nodes, Signer signer) {
    this.spec = spec;
    this.self = self;
    this.store = store;
    this.nodes = nodes;
    this.signer = signer;
  }

  @Override
  public void open(Listener listener) {
    VolumeDirectory members =
        VolumeDirectory.watch(
            store,
            spec,
            signer,
            (region, now) -> {
              Optional<RrsRecord> rrs = now.map(Versioned::value);
              rrs.ifPresent(r -> listener.changed(region, r));
            });
    directory = members;
    troubles = store.reports().watchTrouble(now -> trouble = now);
    nodes.register(
        self,
        (node, from, message, payload) -> {
          if (node.equals(members.node(from.region().index(), from.lane()))) {
            listener.received(from, message, payload);
          }
        });
  }

  @Override
  public void greet() {
    for (String node : directory.nodes()) {
      nodes.send(node, self, new Endpoint.Member(spec.regionId(0), 0), new Message.Hello(), null);
    }
  }

  @Override
  public void send(Endpoint.Member to, Message message, ByteBuffer payload) {
    String node = directory.node(to.region().index(), to.lane());
    if (node != null) {
      nodes.send(node, self, to, message, payload);
    }
  }

  @Override
  public String node(int region, int lane) {
    return directory.node(region, lane);
  }

  @Override
  public String waitsFor(boolean answering) {
    return WaitReason.of(spec, directory, trouble, answering);
  }

  @Override
  public void close() {
    troubles.close();
    directory.close();
    nodes.unregister(self);
  }
}
