/**
 * Volumes for programs that use {@code java.nio.channels}. {@link
 * org.salus.client.nio.VolumeChannel} is a {@code FileChannel}, {@link
 * org.salus.client.nio.AsynchronousVolumeChannel} an {@code AsynchronousFileChannel}. Both show a
 * window of a volume as a file of fixed size. docs/driver.md has a table of what they support.
 *
 * <p>Invariant: a failure of the volume is an {@code IOException} whose cause is the {@code
 * SalusException}.
 */
package org.salus.client.nio;
