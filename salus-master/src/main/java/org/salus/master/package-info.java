/**
 * The care of volumes inside the HBase master: the interface that the hooks call ({@link
 * org.salus.master.MasterHost}) and the services that they offer ({@link
 * org.salus.master.MasterContext}). Invariant: nothing here knows HBase; the hooks are in {@code
 * hbase}.
 */
package org.salus.master;
