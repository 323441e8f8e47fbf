package org.salus.host.netty;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.util.Map;

/** The socket options of accepted and outgoing connections. */
final class ChannelSettings {
  static final Map<ChannelOption<?>, Object> CONNECTION =
      Map.of(
          ChannelOption.TCP_NODELAY,
          true,
          ChannelOption.SO_KEEPALIVE,
          true,
          ChannelOption.ALLOCATOR,
          PooledByteBufAllocator.DEFAULT,
          ChannelOption.RCVBUF_ALLOCATOR,
          new AdaptiveRecvByteBufAllocator(2 << 10, 16 << 10, 256 << 10),
          // Frames beyond the high mark wait in the connection's own queue.
          ChannelOption.WRITE_BUFFER_WATER_MARK,
          new WriteBufferWaterMark(256 << 10, 1 << 20));

  private ChannelSettings() {}
}
