package org.salus.dist.install;

/**
 * What an operator says of the cluster. Immutable.
 *
 * @param zookeeper its servers as {@code host:port,...}; null for those of HBase
 * @param regionServerUser who runs region servers; null for the owner of HBase's files
 */
public record Wishes(String zookeeper, String regionServerUser) {}
