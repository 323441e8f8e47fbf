/**
 * Makers of the core's state machines, which a simulated or explored world is made of. Tests plant
 * bugs and faults make wrong members through them.
 */
package org.salus.sim.parts;
