package org.salus.benchmarks.micro;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.client.Volume;

/** Does every request at once and nothing else. */
public final class NullVolume implements Volume {
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  @Override
  public String name() {
    return "disk0";
  }

  @Override
  public long size() {
    return Samples.SPEC.size();
  }

  @Override
  public int blockSize() {
    return Samples.BLOCK;
  }

  @Override
  public CompletableFuture<Void> read(long offset, ByteBuffer dst) {
    dst.position(dst.limit());
    return DONE;
  }

  @Override
  public CompletableFuture<Void> write(long offset, ByteBuffer src, boolean fua) {
    src.position(src.limit());
    return DONE;
  }

  @Override
  public CompletableFuture<Void> writeZeroes(long offset, long length, boolean fua) {
    return DONE;
  }

  @Override
  public CompletableFuture<Void> flush() {
    return DONE;
  }

  @Override
  public CompletableFuture<List<Extent>> extents(long offset, long length) {
    return CompletableFuture.completedFuture(List.of(new Extent(offset, length, false)));
  }

  @Override
  public void close() {}
}
