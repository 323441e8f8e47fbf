package org.salus.regionserver;

/**
 * This server's identity in the cluster. Immutable.
 *
 * @param node {@code host:port} of the region server, the same after a restart
 * @param startCode grows with every start of the same node
 * @param secret the cluster's secret; nobody may change the array
 */
record ThisServer(String node, long startCode, byte[] secret) {}
