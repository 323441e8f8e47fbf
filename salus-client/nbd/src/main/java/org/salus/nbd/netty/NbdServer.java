package org.salus.nbd.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.salus.host.metrics.Metrics;
import org.salus.nbd.Exports;
import org.salus.nbd.NbdLimits;
import org.salus.nbd.NbdMeter;

/**
 * Serves volumes to NBD clients on TCP or a Unix socket. All connections share one loop, and so one
 * order of requests, and the memory of {@link NbdLimits}. Thread-safe.
 */
public final class NbdServer implements AutoCloseable {
  /**
   * Most answers that are sent with one system call. A system call for each would cost more than
   * the rest of an answer.
   */
  private static final int ANSWERS = 64;

  /** The bits of a file's mode that give its type. */
  private static final int TYPE = 0170000;

  private static final int SOCKET = 0140000;

  /** The most bytes of a Unix socket's path on Linux. */
  private static final int LONGEST_SOCKET = 107;

  private final EventLoopGroup group;
  private final Channel listening;
  private final ChannelGroup connections;

  private NbdServer(EventLoopGroup group, Channel listening, ChannelGroup connections) {
    this.group = group;
    this.listening = listening;
    this.connections = connections;
  }

  /**
   * Listens on TCP. Port 0 takes a free port.
   *
   * @throws IOException when it cannot listen on the address; the message says what to do
   */
  public static NbdServer tcp(InetSocketAddress address, Exports exports) throws IOException {
    return tcp(address, exports, NbdLimits.ofHeap());
  }

  /** Same as {@link #tcp(InetSocketAddress, Exports)}, with a meter that somebody looks at. */
  public static NbdServer tcp(InetSocketAddress address, Exports exports, NbdMeter meter)
      throws IOException {
    return start(address, shown(address), exports, NbdLimits.ofHeap(), meter);
  }

  private static String shown(InetSocketAddress address) {
    return address.getHostString() + ":" + address.getPort();
  }

  /** Same as {@link #tcp(InetSocketAddress, Exports)}, with other limits. */
  public static NbdServer tcp(InetSocketAddress address, Exports exports, NbdLimits limits)
      throws IOException {
    return start(address, shown(address), exports, limits, unseen());
  }

  /**
   * Listens on a Unix socket. Needs Linux' epoll. Replaces a socket that an ended process has left
   * behind.
   *
   * @throws IOException when the path has a file that is no socket, or a process listens there
   */
  public static NbdServer unix(Path socket, Exports exports) throws IOException {
    return unix(socket, exports, unseen());
  }

  /** Same as {@link #unix(Path, Exports)}, with a meter that somebody looks at. */
  public static NbdServer unix(Path socket, Exports exports, NbdMeter meter) throws IOException {
    if (!Epoll.isAvailable()) {
      throw new IOException("no Unix sockets without epoll here: use TCP");
    }
    requireUsable(socket);
    return start(
        new DomainSocketAddress(socket.toFile()),
        socket.toString(),
        exports,
        NbdLimits.ofHeap(),
        meter);
  }

  private static NbdMeter unseen() {
    return new NbdMeter(new Metrics());
  }

  /**
   * Refuses a path on which no Unix socket can listen, and one that is in use, since binding would
   * remove what is there.
   *
   * @throws IOException with a message that says what to do
   */
  public static void requireUsable(Path socket) throws IOException {
    if (socket.toString().getBytes(StandardCharsets.UTF_8).length > LONGEST_SOCKET) {
      throw new IOException(
          "cannot listen on "
              + socket
              + ": the path of a Unix socket may have "
              + LONGEST_SOCKET
              + " bytes; choose a shorter one");
    }
    Path parent = socket.toAbsolutePath().getParent();
    if (!Files.isDirectory(parent)) {
      throw new IOException(
          "cannot listen on " + socket + ": there is no directory " + parent + "; make it");
    }
    if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    String other = "; choose another path, or remove it";
    if (((int) Files.getAttribute(socket, "unix:mode", LinkOption.NOFOLLOW_LINKS) & TYPE)
        != SOCKET) {
      throw new IOException(
          "cannot listen on " + socket + ": it exists and is not a socket" + other);
    }
    try (SocketChannel listener = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      throw new IOException("cannot listen on " + socket + ": another process does" + other);
    } catch (ConnectException nobody) {
      return;
    }
  }

  private static NbdServer start(
      SocketAddress address, String shown, Exports exports, NbdLimits limits, NbdMeter meter)
      throws IOException {
    boolean epoll = Epoll.isAvailable();
    boolean unix = address instanceof DomainSocketAddress;
    EventLoopGroup group = epoll ? new EpollEventLoopGroup(1) : new NioEventLoopGroup(1);
    ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    SharedMemory memory = new SharedMemory(limits);
    Turns turns = new Turns();
    ServerBootstrap b =
        new ServerBootstrap()
            .group(group)
            .channel(
                unix
                    ? EpollServerDomainSocketChannel.class
                    : epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel c) {
                    connections.add(c);
                    c.pipeline()
                        .addLast(
                            new FlushConsolidationHandler(ANSWERS, true),
                            new NbdHandler(exports, memory, meter, turns));
                  }
                });
    b.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    if (!unix) {
      b.option(ChannelOption.SO_REUSEADDR, true).childOption(ChannelOption.TCP_NODELAY, true);
    }
    var bound = b.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw new IOException(
          "cannot listen on "
              + shown
              + ": "
              + bound.cause().getMessage()
              + "; choose another address or stop what uses it",
          bound.cause());
    }
    meter.server(connections::size, memory::used);
    return new NbdServer(group, bound.channel(), connections);
  }

  /** The TCP port on which it listens. */
  public int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /**
   * Takes no more requests. Then it closes each connection once its requests are answered, and then
   * the server. So a client that reconnects sees a pause, and no error: to be called before volumes
   * are closed.
   *
   * @param patience the longest wait for answers
   */
  public void end(Duration patience) {
    listening.close().awaitUninterruptibly();
    // None is closed while another one still takes requests: its client may go on elsewhere.
    onEach(NbdHandler::takeNoMore).forEach(Future::awaitUninterruptibly);
    onEach(NbdHandler::end);
    connections.newCloseFuture().awaitUninterruptibly(patience.toMillis());
    close();
  }

  private List<Future<?>> onEach(Consumer<NbdHandler> what) {
    List<Future<?>> done = new ArrayList<>();
    for (Channel c : connections) {
      NbdHandler handler = c.pipeline().get(NbdHandler.class);
      if (handler != null) {
        done.add(c.eventLoop().submit(() -> what.accept(handler)));
      }
    }
    return done;
  }

  /**
   * Takes no more requests, and closes the connections at once. What is answered later reaches
   * nobody, so a client that reconnects elsewhere asks again. Does not wait.
   */
  public void drop() {
    listening.close();
    connections.close();
  }

  /** Stops listening and closes the open connections. */
  @Override
  public void close() {
    listening.close().awaitUninterruptibly();
    connections.close().awaitUninterruptibly();
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
