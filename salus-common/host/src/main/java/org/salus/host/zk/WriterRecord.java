package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/**
 * Who writes a volume.
 *
 * @param holder in words
 * @param since ms since 1970
 * @param service what only one process at a time can be, such as an address on which it listens, or
 *     empty
 * @param pid of the holder on its host
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record WriterRecord(String holder, long since, long mountEpoch, String service, long pid) {
  /** A record without a service has an empty one. */
  public WriterRecord {
    service = service == null ? "" : service;
  }
}
