/**
 * What the master reads from HDFS: which epochs of a volume's regions the NameNode knows (paper
 * §5). It changes nothing there.
 */
package org.salus.master.hdfs;
