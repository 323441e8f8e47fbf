package org.salus.dist.doctor.cluster;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.salus.dist.need.Need;
import org.salus.dist.need.NeededJars;

/**
 * What the info server of a daemon says. Immutable.
 *
 * @param settings all settings with which the daemon runs; a secret is not shown
 * @param classPath the names of the jars and directories on its class path
 * @param user the user of the operating system that runs it
 * @param ahead how far its clock is ahead of this machine's, in seconds
 * @param uncertain by how much {@code ahead} may be wrong, in seconds
 * @param metrics those of Salus with their labels as Prometheus writes them; none in HDFS' daemons
 * @param noMetrics why the page of metrics could not be read, in words; else empty
 */
public record InfoAnswer(
    Map<String, String> settings,
    List<String> classPath,
    String user,
    double ahead,
    double uncertain,
    Map<String, Double> metrics,
    String noMetrics) {
  /** Copies what it is given. */
  public InfoAnswer {
    settings = Map.copyOf(settings);
    classPath = List.copyOf(classPath);
    metrics = Map.copyOf(metrics);
  }

  /** A setting; empty if it is absent. */
  public String setting(String key) {
    return settings.getOrDefault(key, "").strip();
  }

  /** The parts of a setting that is a list. */
  public List<String> list(String key) {
    return Need.list(setting(key));
  }

  /**
   * The version of an artifact on its class path; empty if there is none, or its jar's name has no
   * version. A jar of its tests does not count.
   */
  public Optional<String> version(String artifact) {
    return NeededJars.version(classPath, artifact);
  }
}
