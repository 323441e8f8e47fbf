/**
 * The names and shapes that everything else uses:
 *
 * <ul>
 *   <li>{@link org.salus.core.VolumeSpec}: a volume, and how its blocks are striped over regions.
 *   <li>{@link org.salus.core.RegionId}: a region.
 *   <li>{@link org.salus.core.Endpoint}: a sender or receiver of messages.
 *   <li>{@link org.salus.core.Signer}: weak signatures (paper §2.1).
 * </ul>
 *
 * <p>Invariant of the whole module: no I/O, threads, clocks or randomness; the same inputs give the
 * same outputs.
 */
package org.salus.core;
