/**
 * What a region member does to HDFS: {@link org.salus.regionserver.hdfs.RegionStore} performs the
 * core's effects on the member's own replicas.
 *
 * <p>Invariant: appends of a region happen in the order of the effects, and what is reported
 * durable is durable with everything before it.
 */
package org.salus.regionserver.hdfs;
