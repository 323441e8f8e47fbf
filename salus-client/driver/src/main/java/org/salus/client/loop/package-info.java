/**
 * Where the driver's work runs: the loop of a volume ({@link org.salus.client.loop.VolumeLoop}),
 * and the threads for callbacks ({@link org.salus.client.loop.CallbackPool}). Internal: no
 * application needs these classes.
 *
 * <p>Invariant: what a task throws goes to the fault handler of its volume, and harms no other one.
 */
package org.salus.client.loop;
