package org.salus.host.netty;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** Opens connections. Thread-safe. */
public final class FrameConnector {
  private final Loops loops;
  private final FrameOptions options;

  /** A connector whose connections live on {@code loops}. */
  public FrameConnector(Loops loops, FrameOptions options) {
    this.loops = loops;
    this.options = options;
  }

  /**
   * Connects to {@code address} on {@code loop}. Looks an unresolved address up on another thread.
   * The future completes with the open connection, or with an {@link IOException} with a one-line
   * message.
   */
  public CompletableFuture<FrameConnection> connect(
      Loop loop, InetSocketAddress address, FrameHandler handler) {
    CompletableFuture<FrameConnection> result = new CompletableFuture<>();
    if (address.isUnresolved()) {
      loops
          .resolver()
          .execute(
              () ->
                  open(
                      loop,
                      new InetSocketAddress(address.getHostString(), address.getPort()),
                      handler,
                      result));
    } else {
      open(loop, address, handler, result);
    }
    return result;
  }

  private void open(
      Loop loop,
      InetSocketAddress address,
      FrameHandler handler,
      CompletableFuture<FrameConnection> result) {
    String target = address.getHostString() + ":" + address.getPort();
    if (address.isUnresolved()) {
      result.completeExceptionally(
          new IOException("cannot connect to " + target + ": unknown host"));
      return;
    }
    FrameInbound inbound =
        new FrameInbound(loops, handler, options, new Unfinished(options.maxFrame()));
    loop.connect(address, options.connectTimeout(), inbound)
        .addListener(
            done -> {
              // The promise completes before the channel becomes active: look at it one task later.
              loop.execute(
                  () -> {
                    if (done.isSuccess() && inbound.connection() != null) {
                      result.complete(inbound.connection());
                    } else {
                      String why = done.isSuccess() ? "closed at once" : done.cause().getMessage();
                      result.completeExceptionally(
                          new IOException(
                              "cannot connect to " + target + ": " + why, done.cause()));
                    }
                  });
            });
  }
}
