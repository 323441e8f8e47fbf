package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NIOFSDirectory;
import org.apache.lucene.store.NativeFSLockFactory;
import org.apache.lucene.tests.store.BaseDirectoryTestCase;
import org.apache.lucene.tests.store.BaseLockFactoryTestCase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;

/**
 * Lucene's own tests of directories and of locks, on windows of a volume in memory. A failure's
 * trace begins with the seed, which {@code -Dtests.seed} takes.
 */
class LuceneOnAVolumeTest {
  private static final int BLOCKS = 1 << 20;

  /** Bytes of the longest file that these tests write are 1,777,777. */
  private static final long FILE = 2 << 20;

  private static volatile Volume volume;
  private static volatile WindowsOfFiles windows;
  private LiveMemoryVolume live;

  /** All directories of a run share the windows, as some tests copy between two. */
  private static Directory onVolume(Path dir) throws IOException {
    FilesOnAVolume files = new FilesOnAVolume(dir.getFileSystem(), windows);
    return new NIOFSDirectory(files.wrapPath(dir), NativeFSLockFactory.INSTANCE);
  }

  /** Run by the test below. */
  public static final class Directories extends BaseDirectoryTestCase {
    @Override
    protected Directory getDirectory(Path dir) throws IOException {
      return onVolume(dir);
    }
  }

  /** Run by the test below. */
  public static final class LocksOfIndexes extends BaseLockFactoryTestCase {
    @Override
    protected Directory getDirectory(Path dir) throws IOException {
      return onVolume(dir);
    }
  }

  @BeforeEach
  void open() throws Exception {
    live = new LiveMemoryVolume(BLOCKS);
    volume = live.volume;
    windows = new WindowsOfFiles(volume, FILE);
  }

  @AfterEach
  void stop() throws Exception {
    live.close();
  }

  private static void run(Class<?> tests, int fewest) {
    Result result = JUnitCore.runClasses(tests);
    assertThat(result.getFailures()).extracting(Failure::getTrace).isEmpty();
    assertThat(result.getRunCount() - result.getIgnoreCount()).isGreaterThanOrEqualTo(fewest);
    assertThat(volume.statistics().writes()).isGreaterThan(fewest);
    assertThat(volume.statistics().failures()).isZero();
  }

  @Test
  void directoriesAreAsLuceneWantsThem() {
    run(Directories.class, 50);
  }

  @Test
  void locksAreAsLuceneWantsThem() {
    run(LocksOfIndexes.class, 4);
  }
}
