package org.salus.regionserver;

/**
 * Who this server is to the rest of the cluster. Immutable.
 *
 * @param node {@code host:port} of the region server, the same after a restart
 * @param startCode of this process
 * @param secret that the cluster's servers share; must not be changed
 */
record ThisServer(String node, long startCode, byte[] secret) {}
