/**
 * The messages between the parties: {@link org.salus.core.message.Message} and its encoding.
 * Payload travels beside a message, never inside it, so that it is copied once at most.
 */
package org.salus.core.message;
