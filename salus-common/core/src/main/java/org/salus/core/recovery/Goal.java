package org.salus.core.recovery;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.effect.MemberEffect;

/**
 * What the recovery of one segment is to reach. DataNodes are given by name.
 *
 * @param length the length in bytes that every replica is to have
 * @param holder the DataNode of the member that says that its own replica is valid that far, or
 *     that it has found such a replica
 * @param valid by DataNode, how far its replica is said to be valid, in bytes
 * @param required the DataNodes that must have an equal replica afterwards
 */
public record Goal(long length, String holder, Map<String, Long> valid, List<String> required) {

  /**
   * The goal of an effect for one of its segments.
   *
   * @param dataNodes the members' DataNodes, in chain order
   */
  public static Goal of(
      MemberEffect.RecoverSegments effect, MemberEffect.ToEqualize of, List<String> dataNodes) {
    Map<String, Long> valid = new TreeMap<>();
    for (int i = 0; i < of.valid().size(); i++) {
      valid.put(dataNodes.get(i), of.valid().get(i));
    }
    return new Goal(
        of.end().length(),
        dataNodes.get(of.holder()),
        valid,
        effect.required().stream().map(dataNodes::get).toList());
  }
}
