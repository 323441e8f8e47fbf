/**
 * HBase's hooks on region servers and regions, as thin as possible: they only tell the {@link
 * org.salus.regionserver.RegionServerHost}. Invariant: no hook lets an exception out that would
 * abort the region server, and no hook blocks. Everything is keyed by server name, since several
 * servers may share a process.
 */
package org.salus.regionserver.hbase;
