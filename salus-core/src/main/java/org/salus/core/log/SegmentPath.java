package org.salus.core.log;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;

/** Where a segment lies in HDFS: {@code /salus/<volume>-<id>/<region>/log-<number>}. */
public record SegmentPath(String volume, RegionId region, long segment) {
  private static final Pattern PATH = Pattern.compile("/salus/([A-Za-z0-9_.-]+)-([0-9a-f]{16})/(\\d{4,})/log-(\\d{8,18})");
  private static final Pattern NAME = Pattern.compile("log-(\\d{8,18})");

  /** The directory of a region's files. */
  public static String directory(VolumeSpec v, int region) {
    return VolumePath.of(v) + String.format("/%04d", region);
  }

  public static String of(VolumeSpec v, int region, long segment) {
    return directory(v, region) + String.format("/log-%08d", segment);
  }

  /** The segment that a path names, or null. */
  public static SegmentPath parse(String path) {
    Matcher m = PATH.matcher(path);
    if (!m.matches()) {
      return null;
    }
    RegionId region = new RegionId(Long.parseUnsignedLong(m.group(2), 16), Integer.parseInt(m.group(3)));
    return new SegmentPath(m.group(1), region, Long.parseLong(m.group(4)));
  }

  /** The number of the segment of this file name, or -1. */
  public static long number(String fileName) {
    Matcher m = NAME.matcher(fileName);
    return m.matches() ? Long.parseLong(m.group(1)) : -1;
  }
}
