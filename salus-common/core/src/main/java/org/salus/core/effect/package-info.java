/**
 * The effects that the state machines ask of their hosts: {@link
 * org.salus.core.effect.MemberEffect} and {@link org.salus.core.effect.SessionEffect}. A machine
 * takes one event and returns effects; it performs none. The host performs them in the order given,
 * with a handler that has one method for each, and reports results as further events.
 */
package org.salus.core.effect;
