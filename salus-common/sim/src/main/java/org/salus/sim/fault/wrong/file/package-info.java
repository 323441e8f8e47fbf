/**
 * Wrong members that attack the region's files: the log as others read it, replicas at DataNodes,
 * what the NameNode knows, and the region's record.
 */
package org.salus.sim.fault.wrong.file;
