package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/**
 * The blocks of a volume that no member had when its writer read them. Immutable.
 *
 * @param volume the volume's id
 * @param regions the regions with such blocks
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record DamageRecord(long volume, List<Damage> regions) {

  /** Copies the regions. */
  public DamageRecord {
    regions = List.copyOf(regions);
  }

  /**
   * The lost blocks of one region.
   *
   * @param region the region's number, from 0
   * @param at the time at which the last one was found, in ms since 1970
   * @param count the number of blocks
   * @param first the first of them, by number
   * @param what the members' answers when the last one was read, in words
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Damage(int region, long at, int count, List<Long> first, String what) {}
}
