/**
 * Names of a volume's directory and files in HDFS. A file has one name, and whoever reads a name
 * learns the volume, the region, the kind and the number.
 */
package org.salus.core.path;
