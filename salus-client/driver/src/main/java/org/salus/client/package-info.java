/**
 * The block driver that applications embed (paper §4): {@code SalusClient} creates and opens
 * volumes, a {@link org.salus.client.Volume} reads and writes them with futures over {@code
 * ByteBuffer}s.
 *
 * <p>A mounted volume's classes depend on one another one way: {@code RemoteVolume} calls {@code
 * MountKeeper}, which runs one {@code SessionHost} at a time. What happens below is told upwards
 * through two listeners. {@code RequestQueue} hears of each session and hands {@code Operation}s to
 * it. Loop, transport and store come through interfaces, which tests script.
 *
 * <p>Invariant: nothing of HBase or Hadoop is on this module's class path.
 */
package org.salus.client;
