/** Faults of disks: damaged replicas, disks that fail and disks that are full. */
package org.salus.sim.fault.disk;
