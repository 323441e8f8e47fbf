/**
 * What a process counts and measures, for people and for Prometheus. {@link Metrics} is the
 * registry of one server or bridge. Recording takes no lock and allocates nothing.
 */
package org.salus.host.metrics;
