/**
 * The block driver that applications embed (paper §3): {@code SalusClient} creates and opens
 * volumes, a {@link org.salus.client.Volume} reads and writes them with futures over {@code
 * ByteBuffer}s.
 *
 * <p>Invariant: nothing of HBase or Hadoop is on this module's class path.
 */
package org.salus.client;
