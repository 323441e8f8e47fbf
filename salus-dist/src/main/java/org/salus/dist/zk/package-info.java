/**
 * ZooKeeper inside this process. Invariant: in an embedded cluster no session outlives the process
 * that opened it.
 */
package org.salus.dist.zk;
