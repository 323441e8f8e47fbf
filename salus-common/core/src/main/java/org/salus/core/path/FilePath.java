package org.salus.core.path;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;

/**
 * The path of a region's file in HDFS: {@code /salus/<volume>-<id>/<region>/log-<number>}, or
 * {@code .../cp-<number>} for a checkpoint. A file has one path: a number with other zeros before
 * it than {@link #of} writes names no file.
 *
 * @param number 0 to {@link #MOST}
 */
public record FilePath(String volume, RegionId region, Kind kind, long number) {
  /** The highest number of a file. The index of a region has 31 bits for a segment's number. */
  public static final long MOST = Integer.MAX_VALUE;

  /** The kind of a file. */
  public enum Kind {
    /** A log segment. */
    LOG("log"),
    CHECKPOINT("cp");

    private final String prefix;

    Kind(String prefix) {
      this.prefix = prefix;
    }

    /** The beginning of the names of files of this kind. */
    public String prefix() {
      return prefix + "-";
    }

    /** The number of the file of this kind and name, or -1 if no file has the name. */
    public long number(String fileName) {
      Matcher m = NAME.matcher(fileName);
      return m.matches() && m.group(1).equals(prefix) ? FilePath.number(m.group(2)) : -1;
    }
  }

  private static final Pattern NAME = Pattern.compile("(log|cp)-(\\d{8}|[1-9]\\d{8,9})");
  private static final Pattern PATH =
      Pattern.compile("/salus/([A-Za-z0-9_.-]+)-([0-9a-f]{16})/(\\d{4}|[1-9]\\d{4,8})/" + NAME);

  /** The directory of a region's files. */
  public static String directory(VolumeSpec v, int region) {
    return VolumePath.of(v) + String.format("/%04d", region);
  }

  public static String of(VolumeSpec v, int region, Kind kind, long number) {
    if (number < 0 || number > MOST) {
      throw new IllegalArgumentException("no file has the number " + number);
    }
    return directory(v, region) + String.format("/%s-%08d", kind.prefix, number);
  }

  /**
   * The name under which all files of the file's directory are written. HDFS lets nobody else
   * recover or complete a file than the one who has created it, and any member may have to.
   */
  public static String holder(String file) {
    return "salus" + file.substring(0, file.lastIndexOf('/'));
  }

  /** The file that a path names, or null. */
  public static FilePath parse(String path) {
    Matcher m = PATH.matcher(path);
    long number = m.matches() ? number(m.group(5)) : -1;
    if (number < 0) {
      return null;
    }
    RegionId region =
        new RegionId(Long.parseUnsignedLong(m.group(2), 16), Integer.parseInt(m.group(3)));
    return new FilePath(
        m.group(1), region, m.group(4).equals("log") ? Kind.LOG : Kind.CHECKPOINT, number);
  }

  /** The number that these digits name, or -1 if it is too high. */
  private static long number(String digits) {
    long number = Long.parseLong(digits);
    return number <= MOST ? number : -1;
  }
}
