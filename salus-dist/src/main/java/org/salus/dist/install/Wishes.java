package org.salus.dist.install;

/**
 * What an operator says of the cluster. Immutable.
 *
 * @param zookeeper its servers as {@code host:port,...}; null for those of HBase
 * @param regionServerUser who runs region servers; null for the owner of HBase's files
 * @param downgrade whether an older Salus may replace a newer one
 */
public record Wishes(String zookeeper, String regionServerUser, boolean downgrade) {}
