/**
 * The handshake of the fixed newstyle protocol: one handler for each option, chosen by {@link
 * org.salus.nbd.option.Options}.
 */
package org.salus.nbd.option;
