/**
 * Wrong members: each does what no right member does. It wraps the core's {@link
 * org.salus.core.member.RegionMember}, changes its effects and signs with its own name only.
 */
package org.salus.sim.fault.wrong.member;
