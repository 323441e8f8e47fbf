package org.salus.dist.install;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/** Which hosts have the same files. */
final class Sharing {
  /** File systems that several hosts mount. */
  private static final Pattern SHARED =
      Pattern.compile(
          "nfs.*|cifs|smb.*|ceph|fuse\\..*|glusterfs|lustre|gpfs|beegfs|afs|ocfs2|gfs2");

  private Sharing() {}

  /**
   * Checks that all hosts with one installation have its settings, too: one note of what was
   * installed stands for one file of settings.
   *
   * @throws IOException when they may have settings of their own
   */
  static void requireOneSite(Path root, Path site) throws IOException {
    FileStore ofRoot = Files.getFileStore(root);
    requireOneSite(root, ofRoot.type(), site, Files.getFileStore(site).equals(ofRoot));
  }

  static void requireOneSite(Path root, String type, Path site, boolean isBeside)
      throws IOException {
    if (!isBeside && SHARED.matcher(type.toLowerCase(Locale.ROOT)).matches()) {
      throw new IOException(
          root
              + " is on "
              + type
              + ", which other hosts may share, and "
              + site
              + " is not: keep the settings there, too, or give each host a directory of its own");
    }
  }
}
