/**
 * Volumes inside the HBase master: what the host program calls ({@link
 * org.salus.master.MasterHost}) and offers ({@link org.salus.master.MasterContext}). Invariant:
 * nothing here knows HBase; the hooks are in {@code hbase}.
 */
package org.salus.master;
