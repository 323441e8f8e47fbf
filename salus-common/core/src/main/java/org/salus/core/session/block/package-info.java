/**
 * Blocks on their way between a session and its user. {@link
 * org.salus.core.session.block.BlockBytes} hashes and joins what is to be written, {@link
 * org.salus.core.session.block.ReadTarget} takes what was read. {@link
 * org.salus.core.session.block.LastToTouch} finds the last change of a block.
 *
 * <p>Invariant: nothing here knows of members or messages. Whoever gives a block to a {@code
 * ReadTarget} has checked it.
 */
package org.salus.core.session.block;
