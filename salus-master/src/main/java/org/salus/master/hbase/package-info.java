/**
 * Salus inside the HBase master: the coprocessor, the balancer and the tables of volumes.
 * Invariants: no hook lets an exception out that would abort the master. Two HBase replicas of a
 * volume's region are on one server only while there are fewer servers than replicas.
 */
package org.salus.master.hbase;
