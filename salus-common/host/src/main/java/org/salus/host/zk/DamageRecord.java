package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/**
 * The blocks of a volume that no member had when its writer read them. Immutable.
 *
 * @param volume its id
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record DamageRecord(long volume, List<Damage> regions) {

  /** Copies the regions. */
  public DamageRecord {
    regions = List.copyOf(regions);
  }

  /**
   * Those of one region.
   *
   * @param at when the last one was found, in ms since 1970
   * @param count how many
   * @param first the first of them
   * @param what the members answered when the last one was read
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Damage(int region, long at, int count, List<Long> first, String what) {}
}
