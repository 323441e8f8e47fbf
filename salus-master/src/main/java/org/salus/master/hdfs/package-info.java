/**
 * What the master reads from HDFS: which epochs of a volume's regions the NameNode knows (paper
 * §5), and the quotas that bind volumes or HBase. It changes nothing there.
 */
package org.salus.master.hdfs;
