package org.salus.dist.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.salus.client.VolumeInfo;

/** The losses of a volume that a user names. */
final class LossNames {

  private LossNames() {}

  /**
   * The losses with these names.
   *
   * @throws IOException when nothing is noted as it is named
   */
  static List<VolumeInfo.Loss> find(
      String volume, List<String> ids, Collection<VolumeInfo.Loss> noted) throws IOException {
    List<VolumeInfo.Loss> found = new ArrayList<>();
    for (String id : ids) {
      found.add(
          noted.stream()
              .filter(l -> l.id().equals(id))
              .findFirst()
              .orElseThrow(() -> new IOException(missing(volume, id, noted))));
    }
    return found;
  }

  private static String missing(String volume, String id, Collection<VolumeInfo.Loss> noted) {
    return "volume "
        + volume
        + " has no loss "
        + id
        + (noted.isEmpty()
            ? ": nothing that it has lost is left to accept"
            : "; noted are now " + names(volume, noted));
  }

  /** What was accepted, and what is left. */
  static String words(
      String volume, Collection<VolumeInfo.Loss> accepted, Collection<VolumeInfo.Loss> left) {
    return "accepted what volume "
        + volume
        + " has lost: "
        + accepted.stream()
            .map(l -> "PUTs " + (l.prefix() + 1) + " to " + l.acked())
            .collect(Collectors.joining(", "))
        + (left.isEmpty() ? "" : "; still to accept are " + names(volume, left));
  }

  private static String names(String volume, Collection<VolumeInfo.Loss> losses) {
    return losses.stream().map(VolumeInfo.Loss::id).collect(Collectors.joining(" "))
        + ": see 'salus volume info "
        + volume
        + "'";
  }
}
