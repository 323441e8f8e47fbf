/**
 * ZooKeeper inside this process. Invariant: no session outlives the process that it was opened in.
 */
package org.salus.dist.zk;
