/**
 * The master's part of replacement (paper §4.2.2): the choice of the members with which a region
 * goes on. The production master and the simulator's share these rules. Each decides by itself
 * which servers it offers, and when it asks.
 */
package org.salus.core.replacement;
