/**
 * What people see of a cluster in a browser. {@link org.salus.monitor.ClusterPage} writes it from
 * the same descriptions as {@code salus volume info}.
 */
package org.salus.monitor;
