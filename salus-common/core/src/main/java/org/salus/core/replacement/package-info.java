/**
 * The master's part of replacement (paper §4.2.2): the choice of the members with which a region
 * goes on. The production master and the simulator's share these rules. What they know of servers,
 * and when they ask, is up to them.
 */
package org.salus.core.replacement;
