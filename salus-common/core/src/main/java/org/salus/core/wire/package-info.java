/**
 * The one binary encoding: big-endian, length-prefixed, written and read by {@link
 * org.salus.core.wire.Encoder} and {@link org.salus.core.wire.Decoder}. The same bytes are signed,
 * logged and sent.
 */
package org.salus.core.wire;
