package org.salus.client.nio;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.salus.client.SalusException;
import org.salus.client.Volume;

/** A volume in an array; every request is done at once. */
final class ArrayVolume implements Volume {
  static final int SIZE = 8192;

  final byte[] bytes = new byte[SIZE];
  SalusException failure;
  int flushes;
  boolean closed;

  /** Whether reads are never done. */
  boolean hangs;

  CompletableFuture<Void> hanging;
  Executor callbacks = Runnable::run;

  private CompletableFuture<Void> done(Runnable work) {
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    work.run();
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public String name() {
    return "disk";
  }

  @Override
  public long size() {
    return SIZE;
  }

  @Override
  public int blockSize() {
    return 4096;
  }

  @Override
  public CompletableFuture<Void> read(long offset, ByteBuffer dst) {
    if (hangs) {
      hanging = new CompletableFuture<>();
      return hanging;
    }
    return done(() -> dst.duplicate().put(bytes, (int) offset, dst.remaining()));
  }

  @Override
  public CompletableFuture<Void> write(long offset, ByteBuffer src, boolean fua) {
    return done(() -> src.duplicate().get(bytes, (int) offset, src.remaining()));
  }

  @Override
  public CompletableFuture<Void> writeZeroes(long offset, long length, boolean fua) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<Void> flush() {
    return done(() -> flushes++);
  }

  @Override
  public CompletableFuture<List<Extent>> extents(long offset, long length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Executor callbackExecutor() {
    return callbacks;
  }

  @Override
  public void close() {
    closed = true;
  }
}
