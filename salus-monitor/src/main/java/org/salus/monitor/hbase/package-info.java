/** Shows the page and the metrics at the info servers of HBase's daemons. */
package org.salus.monitor.hbase;
