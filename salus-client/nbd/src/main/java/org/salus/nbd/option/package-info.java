/**
 * The handshake of the fixed newstyle protocol. One handler serves each option, chosen by {@link
 * org.salus.nbd.option.Options}.
 */
package org.salus.nbd.option;
