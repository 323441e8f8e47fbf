/** Finds the NameNodes of an HDFS, and asks each of them. */
package org.salus.dist.doctor.hdfs;
