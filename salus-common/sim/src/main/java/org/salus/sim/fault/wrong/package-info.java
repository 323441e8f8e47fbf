/**
 * Commission faults: members that do what no right member does. Each wraps the core's {@link
 * org.salus.core.member.RegionMember} and signs with its own name only.
 */
package org.salus.sim.fault.wrong;
