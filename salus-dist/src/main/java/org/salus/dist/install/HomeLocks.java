package org.salus.dist.install;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Keeps other runs out of some places until it is closed. */
final class HomeLocks implements AutoCloseable {
  private record Held(Path file, FileChannel channel) {}

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
        locks.lock(home);
      }
      return locks;
    } catch (IOException failed) {
      locks.close();
      throw failed;
    }
  }

  private void lock(Home home) throws IOException {
    Path state = home.state();
    for (Path dir : List.of(state.getParent(), state)) {
      if (!Files.isDirectory(dir)) {
        Disk.requireWritable(dir.getParent());
        Files.createDirectory(dir);
        Disk.likeDirectory(dir);
      }
    }
    Disk.requireWritable(state);
    Path file = state.resolve("lock");
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    held.add(new Held(file, channel));
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException sameProcess) {
      lock = null;
    }
    if (lock == null) {
      channel.close();
      held.remove(held.size() - 1); // its file is the other run's
      throw new IOException(
          "another 'salus install' or 'salus uninstall' is at work in " + home.root());
    }
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
