package org.salus.host.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.salus.host.OncePerSecond;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listening port. Its connections are spread over the loops in turn. One address cannot take the
 * connections of others, since each has a limit. All together have one, too: at that, a new address
 * takes the place of a connection of the address that has most. Thread-safe.
 */
public final class FrameServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FrameServer.class);
  private static final int BACKLOG = 1024;

  private final Loops loops;
  private final ChannelGroup accepted = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private final Map<InetAddress, Guest> guests = new ConcurrentHashMap<>();

  /** The addresses of which a connection was refused since the last that was not. */
  private final Set<InetAddress> refusing = ConcurrentHashMap.newKeySet();

  private final AtomicInteger admitted = new AtomicInteger();
  private final OncePerSecond full = new OncePerSecond(System::nanoTime);
  private Channel listening;

  /** What an address with connections has of this server. */
  private record Guest(int connections, Unfinished unfinished) {}

  private FrameServer(Loops loops) {
    this.loops = loops;
  }

  /**
   * Listens on {@code host:port}; port 0 takes a free port. Returns when bound.
   *
   * @throws IOException when it cannot listen there, with a one-line message
   */
  public static FrameServer start(
      Loops loops, String host, int port, FrameHandler handler, FrameOptions options)
      throws IOException {
    FrameServer server = new FrameServer(loops);
    server.bind(new InetSocketAddress(host, port), handler, options);
    return server;
  }

  private void bind(InetSocketAddress address, FrameHandler handler, FrameOptions options)
      throws IOException {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loops.group())
            .channel(
                loops.usesEpoll() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    Guest guest = admit(channel, options);
                    if (guest != null) {
                      accepted.add(channel);
                      channel
                          .pipeline()
                          .addLast(new FrameInbound(loops, handler, options, guest.unfinished));
                    } else {
                      loops.stats().refused.increment();
                      channel.close();
                    }
                  }
                });
    ChannelSettings.CONNECTION.forEach((option, value) -> child(bootstrap, option, value));
    ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on "
              + address.getHostString()
              + ":"
              + address.getPort()
              + ": "
              + bound.cause().getMessage(),
          bound.cause());
    }
    listening = bound.channel();
  }

  /** Counts a connection until it is closed. Returns null if its address or all have too many. */
  private Guest admit(Channel channel, FrameOptions options) {
    if (!(channel.remoteAddress() instanceof InetSocketAddress from)) {
      return null; // it is closed already
    }
    if (admitted.incrementAndGet() > options.maxTotal() && !makeRoom(from.getAddress())) {
      admitted.decrementAndGet();
      full.log(
          others ->
              LOG.warn(
                  "refusing a connection from {}: there are {} already{}",
                  from.getAddress(),
                  options.maxTotal(),
                  others));
      return null;
    }
    InetAddress address = from.getAddress();
    Guest guest =
        guests.compute(
            address,
            (a, g) ->
                g == null
                    ? new Guest(1, new Unfinished(options.maxUnfinished()))
                    : new Guest(g.connections + 1, g.unfinished));
    if (guest.connections > options.maxAccepted()) {
      leave(address);
      if (refusing.add(address)) {
        LOG.warn(
            "refusing connections from {}, which has {} already", address, options.maxAccepted());
      }
      return null;
    }
    refusing.remove(address);
    channel.closeFuture().addListener(closed -> leave(address));
    return guest;
  }

  /** Closes a connection of the address that has most, unless that would not be fair to it. */
  private boolean makeRoom(InetAddress newcomer) {
    Guest own = guests.get(newcomer);
    return guests.entrySet().stream()
        .max(Comparator.comparing(g -> g.getValue().connections))
        .filter(most -> most.getValue().connections > (own == null ? 1 : own.connections + 1))
        .flatMap(most -> accepted.stream().filter(c -> yields(c, most.getKey())).findFirst())
        .map(Channel::close)
        .isPresent();
  }

  /** Takes a connection of this address out, once: it closes later, and makes room for one only. */
  private boolean yields(Channel channel, InetAddress address) {
    return isFrom(channel, address) && accepted.remove(channel);
  }

  private static boolean isFrom(Channel channel, InetAddress address) {
    return channel.remoteAddress() instanceof InetSocketAddress from
        && from.getAddress().equals(address);
  }

  private void leave(InetAddress address) {
    admitted.decrementAndGet();
    guests.computeIfPresent(
        address, (a, g) -> g.connections == 1 ? null : new Guest(g.connections - 1, g.unfinished));
  }

  @SuppressWarnings("unchecked")
  private static <T> void child(ServerBootstrap bootstrap, ChannelOption<T> option, Object value) {
    bootstrap.childOption(option, (T) value);
  }

  /** The port on which it listens. */
  public int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /**
   * Stops listening and closes the accepted connections. Waits until they are closed, except when
   * called on a loop.
   */
  @Override
  public void close() {
    ChannelFuture closed = listening.close();
    boolean onLoop = false;
    for (int i = 0; i < loops.count(); i++) {
      onLoop |= loops.loop(i).inLoop();
    }
    if (onLoop) {
      closed.addListener(done -> accepted.close());
    } else {
      closed.awaitUninterruptibly();
      accepted.close().awaitUninterruptibly();
    }
  }
}
