package org.salus.core.path;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;

/** The directory of all files of a volume in HDFS: {@code /salus/<volume>-<id>}. */
public record VolumePath(String volume, long id) {
  /** The directory of all volumes. */
  public static final String ROOT = "/salus";

  private static final Pattern PATH = Pattern.compile(ROOT + "/([A-Za-z0-9_.-]+)-([0-9a-f]{16})");
  private static final String DELETION = "deletion";

  public static String of(VolumeSpec v) {
    return new VolumePath(v.name(), v.id()).path();
  }

  /** The volume whose directory this is, or null. */
  public static VolumePath parse(String path) {
    Matcher m = PATH.matcher(path);
    return m.matches() ? new VolumePath(m.group(1), Long.parseUnsignedLong(m.group(2), 16)) : null;
  }

  public String path() {
    return String.format("/salus/%s-%016x", volume, id);
  }

  /**
   * The permission that a server shows to the NameNode to remove the directory. It is good only
   * while the volume is being deleted.
   */
  public byte[] deletion(Signer signer) {
    return signer.sign(DELETION, ByteBuffer.wrap(path().getBytes(StandardCharsets.UTF_8)));
  }
}
