package org.salus.dist.install;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Keeps other runs out of some places until it is closed. */
final class HomeLocks implements AutoCloseable {
  private record Held(Path file, FileChannel channel) {}

  private static final int TRIALS = 10;

  private final List<Held> held = new ArrayList<>();

  private HomeLocks() {}

  /**
   * Locks places.
   *
   * @throws IOException when this user may not write there, or another run has one of them
   */
  static HomeLocks of(List<Home> homes) throws IOException {
    HomeLocks locks = new HomeLocks();
    try {
      for (Home home : homes) {
        locks.lock(home.state());
      }
      return locks;
    } catch (IOException failed) {
      locks.close();
      throw failed;
    }
  }

  private void lock(Path state) throws IOException {
    for (int i = 0; i < TRIALS; i++) {
      try {
        make(state);
        if (tryLock(state)) {
          return;
        }
      } catch (NoSuchFileException | FileAlreadyExistsException raced) {
        continue; // another run has just ended or begun
      } catch (FileSystemException refused) {
        Disk.requireWritable(state);
        throw refused;
      }
    }
    throw atWork(state);
  }

  private static IOException atWork(Path state) {
    return new IOException(
        "another 'salus install' or 'salus uninstall' is at work in "
            + state.getParent().getParent());
  }

  private static void make(Path state) throws IOException {
    for (Path dir : List.of(state.getParent(), state)) {
      if (!Files.isDirectory(dir)) {
        Disk.makeDirectory(dir);
      }
      Disk.requireOwn(dir);
    }
  }

  /** Returns false if the file is another run's, which has deleted it and ended. */
  private boolean tryLock(Path state) throws IOException {
    Path file = state.resolve("lock");
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException sameProcess) {
      lock = null;
    }
    if (lock == null) {
      channel.close();
      throw atWork(state);
    }
    String sign = UUID.randomUUID().toString();
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(sign.getBytes(StandardCharsets.US_ASCII)));
    if (!Files.exists(file) || !Files.readString(file).equals(sign)) {
      channel.close();
      return false;
    }
    held.add(new Held(file, channel));
    return true;
  }

  /** Gives the places free. Where nothing is installed, no trace is left. */
  @Override
  public void close() throws IOException {
    for (Held h : held) {
      Files.deleteIfExists(h.file());
      h.channel().close();
      Path state = h.file().getParent();
      try {
        Files.deleteIfExists(state);
        Files.deleteIfExists(state.getParent());
      } catch (DirectoryNotEmptyException inUse) {
        continue;
      }
    }
  }
}
