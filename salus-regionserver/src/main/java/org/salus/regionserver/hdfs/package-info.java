/**
 * A region member's work on HDFS: {@link org.salus.regionserver.hdfs.RegionStore} performs the
 * core's effects on the member's own replicas.
 *
 * <p>Invariant: appends of a region happen in the order of the effects. When bytes are reported as
 * written, everything before them is written too.
 */
package org.salus.regionserver.hdfs;
