/**
 * Event loops and the frame transport over Netty. A frame is a 16-byte header (total length of head
 * and payload, head length, CRC32C of head and payload, CRC32C of those twelve bytes; all big
 * endian), the head and the payload. Invariants: frames of one connection arrive in the order of
 * their {@code send} calls or not at all; a frame whose lengths or checksums are wrong is never
 * delivered and closes its connection; a payload is never copied on the way out when it is direct
 * and is copied once, into the receiver's own buffer, on the way in. Delivery is not promised:
 * whoever needs it sends again.
 */
package org.salus.host.netty;
