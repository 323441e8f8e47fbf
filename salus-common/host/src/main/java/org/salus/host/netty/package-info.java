/**
 * Event loops and the frame transport over Netty. A frame is a 16-byte header, the head and the
 * payload. The header has four big-endian integers: the length of head and payload, the length of
 * the head, the CRC32C of both, and the CRC32C of those twelve bytes.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>Frames of one connection arrive in the order of their {@code send} calls or not at all.
 *   <li>A frame with wrong lengths or checksums is never delivered and closes its connection.
 *   <li>A direct payload is not copied by the sender. The receiver copies it once, into its own
 *       buffer.
 * </ul>
 *
 * <p>Delivery is not promised: a sender that needs it sends again. So what a peer can make this
 * process hold is bounded ({@link org.salus.host.netty.FrameOptions}): connections of one address,
 * bytes that wait to be written, and bytes of a frame that has not come yet.
 */
package org.salus.host.netty;
