/**
 * Recovery of a segment's replicas (paper §4.4, phase 2): which replicas are asked, which of them
 * must answer, what each one needs, and which are equal afterwards. The host on HDFS and the
 * simulator's NameNode run the same decisions; each brings the answers of its DataNodes.
 */
package org.salus.core.recovery;
