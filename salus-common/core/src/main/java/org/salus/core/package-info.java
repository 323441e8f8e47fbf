/**
 * Names and shapes that everything else uses: {@link org.salus.core.VolumeSpec} (a volume and how
 * its blocks are striped over regions), {@link org.salus.core.RegionId}, {@link
 * org.salus.core.Endpoint} (who sends and receives), {@link org.salus.core.Signer} (weak
 * signatures, paper §2.1).
 *
 * <p>Invariant of the whole module: no I/O, threads, clocks or randomness; the same inputs give the
 * same outputs.
 */
package org.salus.core;
