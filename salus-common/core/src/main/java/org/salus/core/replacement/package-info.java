/**
 * The master's part of replacement (§4.2.2): whom a region goes on with. The rules hold for the
 * production master and for the simulator's; what they know of servers, and when they ask, is
 * theirs.
 */
package org.salus.core.replacement;
