package org.salus.nbd.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.client.SalusException;
import org.salus.client.Volume;
import org.salus.host.metrics.Metrics;
import org.salus.nbd.Nbd;
import org.salus.nbd.NbdLimits;
import org.salus.nbd.NbdMeter;
import org.salus.nbd.Request;

/** What a request counts while it is under way, and what becomes of one without an answer. */
class TransmissionTest {
  private static final int BLOCK = 256 << 10;
  private static final long SIZE = 64 << 20;
  private static final long MEMORY = 2L * Nbd.MAX_PAYLOAD;

  /** The volume's answer to every request. */
  private final CompletableFuture<List<Volume.Extent>> answer = new CompletableFuture<>();

  private final Volume volume =
      (Volume)
          Proxy.newProxyInstance(
              Volume.class.getClassLoader(),
              new Class<?>[] {Volume.class},
              (self, method, arguments) ->
                  method.getReturnType() == CompletableFuture.class
                      ? answer
                      : method.getReturnType() == long.class ? (Object) SIZE : (Object) BLOCK);
  private final Transmission transmission =
      new Transmission(null, volume, false, false, null, null, () -> {});

  private long weight(long offset, int length) {
    return transmission.weight(new Request(0, Nbd.CMD_WRITE, 1, offset, length));
  }

  @Test
  void aSmallWriteCountsTheBlocksThatTheVolumeCopiesItInto() {
    assertThat(weight(4096, 4096)).isGreaterThan(3 * BLOCK);
    assertThat(weight(BLOCK - 512, 1024)).isGreaterThan(4 * BLOCK);
    assertThat(weight(BLOCK, 2 * BLOCK)).isBetween(2L * BLOCK, 2L * BLOCK + 4096);
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, Long.MIN_VALUE, -1, -BLOCK})
  void aWriteThatWillBeRefusedCountsWhatItIs(long offset) {
    assertThat(weight(offset, Nbd.MAX_PAYLOAD))
        .isBetween((long) Nbd.MAX_PAYLOAD, Nbd.MAX_PAYLOAD + 4L * BLOCK);
  }

  // ---- answers that cannot be made ----

  private final FullAllocator allocator = new FullAllocator();
  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final SharedMemory memory =
      new SharedMemory(new NbdLimits(MEMORY, 1, Duration.ofSeconds(1)));
  private final Metrics metrics = new Metrics();
  private final Runnable whenIdle = () -> idle = true;
  private boolean idle;

  private void perform(int command) {
    channel.config().setAllocator(allocator);
    Transmission t =
        new Transmission(
            channel.pipeline().firstContext(),
            volume,
            true,
            true,
            memory,
            new NbdMeter(metrics),
            () -> {});
    Request r = new Request(0, command, 1, 0, command == Nbd.CMD_FLUSH ? 0 : BLOCK);
    assertThat(memory.take(new NoUser(), t.weight(r), null)).isTrue();
    t.begin(r);
    t.perform(r, null);
    t.whenIdle(whenIdle);
  }

  private void assertClosedAndNothingHeld() {
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
    assertThat(idle).isTrue();
    assertThat(memory.take(new NoUser(), MEMORY, null)).as("all memory is given back").isTrue();
    assertThat(allocator.buffers).allMatch(b -> b.refCnt() == 0);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {Nbd.CMD_READ, Nbd.CMD_WRITE, Nbd.CMD_FLUSH, Nbd.CMD_BLOCK_STATUS, Nbd.CMD_TRIM})
  void aConnectionIsClosedWhenASuccessCannotBeAnswered(int command) {
    perform(command);
    assertThat(idle).isFalse();
    allocator.isFull = true;
    answer.complete(List.of(new Volume.Extent(0, BLOCK, true)));
    assertClosedAndNothingHeld();
  }

  @ParameterizedTest
  @ValueSource(ints = {Nbd.CMD_READ, Nbd.CMD_WRITE, Nbd.CMD_BLOCK_STATUS})
  void aConnectionIsClosedWhenAFailureCannotBeAnswered(int command) {
    perform(command);
    allocator.isFull = true;
    answer.completeExceptionally(new SalusException.TimedOut("no answer"));
    assertClosedAndNothingHeld();
  }

  @Test
  void aConnectionIsClosedWhenARefusalCannotBeAnswered() {
    allocator.isFull = true;
    perform(77);
    assertClosedAndNothingHeld();
  }

  /** An allocator that may have no memory left. */
  private static final class FullAllocator extends AbstractByteBufAllocator {
    final List<ByteBuf> buffers = new ArrayList<>();
    boolean isFull;

    private ByteBuf give(ByteBuf made) {
      if (isFull) {
        throw new OutOfMemoryError("planted");
      }
      buffers.add(made);
      return made;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initial, int most) {
      return give(Unpooled.buffer(initial, most));
    }

    @Override
    protected ByteBuf newDirectBuffer(int initial, int most) {
      return give(Unpooled.buffer(initial, most));
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  private static final class NoUser implements SharedMemory.User {
    @Override
    public void goOn() {}

    @Override
    public boolean standsStill() {
      return false;
    }

    @Override
    public void evict() {}
  }
}
