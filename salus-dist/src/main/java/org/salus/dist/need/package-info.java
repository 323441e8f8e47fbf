/**
 * What Salus needs of the daemons of HDFS and HBase. {@code salus install} gives it to them, and
 * {@code salus doctor} looks whether they have it.
 */
package org.salus.dist.need;
