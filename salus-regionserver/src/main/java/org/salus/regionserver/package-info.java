/**
 * The replicated region server: what a host program calls ({@link org.salus.regionserver.RegionServerHost}) and tells
 * ({@link org.salus.regionserver.ServerContext}). Invariant: nothing here knows HBase; the hooks are in {@code hbase}.
 */
package org.salus.regionserver;
