/**
 * The block driver that applications embed (paper §4). {@code SalusClient} creates and opens
 * volumes. A {@link org.salus.client.Volume} is read and written with futures over {@code
 * ByteBuffer}s.
 *
 * <p>The classes of a mounted volume depend on one another in one direction: {@code RemoteVolume}
 * calls {@code MountHost}, which runs one {@code SessionHost} at a time. Two listeners carry events
 * upwards. {@code RequestQueue} is told of each session and hands {@code Operation}s to it. Loop,
 * transport and store come through interfaces, which tests script: {@link
 * org.salus.client.loop.VolumeLoop}, {@link org.salus.client.cluster.SessionTransport}, {@link
 * org.salus.client.cluster.WriterStore}.
 *
 * <p>Invariant: nothing of HBase or Hadoop is on this module's class path.
 */
package org.salus.client;
