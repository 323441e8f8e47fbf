package org.salus.core.path;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;

/**
 * A volume's shape, encoded as the name of an empty directory beside its regions. With it, the
 * volume's records can be rebuilt from HDFS alone: {@code spec-<format>-<block
 * size>-<blocks>-<regions>-<replicated|synced>[-strict]-<bytes of a segment>-<signature>}.
 */
public final class SpecName {
  /** The format that this program writes and reads. */
  public static final int FORMAT = 4;

  private static final String SIGNED = "spec";
  private static final Pattern NAME = Pattern.compile("spec-(\\d{1,9})-(.+)-([0-9a-f]{32})");
  private static final Pattern SHAPE =
      Pattern.compile(
          "(\\d{1,9})-(\\d{1,18})-(\\d{1,9})-(replicated|synced)(-strict)?-(\\d{1,18})");

  private SpecName() {}

  /** The directory's path. */
  public static String path(VolumeSpec v, Signer signer) {
    String shape =
        v.blockSize()
            + "-"
            + v.blockCount()
            + "-"
            + v.regionCount()
            + "-"
            + (v.synced() ? "synced" : "replicated")
            + (v.strict() ? "-strict" : "")
            + "-"
            + v.segmentBytes();
    VolumePath volume = new VolumePath(v.name(), v.id());
    return volume.path()
        + "/spec-"
        + FORMAT
        + "-"
        + shape
        + "-"
        + HexFormat.of().formatHex(signature(volume, FORMAT, shape, signer));
  }

  /** The format of a name, or -1 if it is no shape. */
  public static int format(String name) {
    Matcher m = NAME.matcher(name);
    return m.matches() ? Integer.parseInt(m.group(1)) : -1;
  }

  /**
   * The volume's shape, or null when the name is not one of {@link #FORMAT} that was signed for
   * this volume with this secret.
   */
  public static VolumeSpec parse(VolumePath volume, String name, Signer signer) {
    Matcher m = NAME.matcher(name);
    Matcher shape = SHAPE.matcher(m.matches() ? m.group(2) : "");
    if (format(name) != FORMAT
        || !shape.matches()
        || !Arrays.equals(
            signature(volume, FORMAT, m.group(2), signer), HexFormat.of().parseHex(m.group(3)))) {
      return null;
    }
    return new VolumeSpec(
        volume.volume(),
        volume.id(),
        Integer.parseInt(shape.group(1)),
        Long.parseLong(shape.group(2)),
        Integer.parseInt(shape.group(3)),
        shape.group(4).equals("synced"),
        Long.parseLong(shape.group(6)),
        shape.group(5) != null);
  }

  private static byte[] signature(VolumePath volume, int format, String shape, Signer signer) {
    return signer.sign(
        SIGNED,
        ByteBuffer.wrap(
            (volume.path() + "/" + format + "/" + shape).getBytes(StandardCharsets.UTF_8)));
  }
}
