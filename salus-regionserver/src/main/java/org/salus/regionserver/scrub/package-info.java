/**
 * The background check of the replicas on a server's DataNode: {@link
 * org.salus.regionserver.scrub.Scrubber} says which file is next, and how fast.
 *
 * <p>Invariant: one thread makes the checks. What they have found is in ZooKeeper within seconds,
 * so that a restarted server goes on with its pass.
 */
package org.salus.regionserver.scrub;
