package org.salus.dist.install;

import java.nio.file.Path;

/** A change of one file. A file that is put is there as a whole or not at all. Immutable. */
sealed interface Change {
  Path target();

  /** The hash of the content for which this was planned; empty if the file was not there. */
  String before();

  /**
   * Writes a file.
   *
   * @param like the file whose owner and mode it gets; null for those of its directory, and mode
   *     0644
   */
  record Write(Path target, String before, byte[] content, Path like) implements Change {}

  /** Copies a file. */
  record Copy(Path target, String before, Path source) implements Change {}

  /** Deletes a file. */
  record Delete(Path target, String before) implements Change {}
}
