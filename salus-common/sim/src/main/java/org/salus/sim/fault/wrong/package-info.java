/**
 * Commission faults: members that do what no right member does, as wrappers around the core's
 * {@link org.salus.core.member.RegionMember}, each signing with its own name only.
 */
package org.salus.sim.fault.wrong;
