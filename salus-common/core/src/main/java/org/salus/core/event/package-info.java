/**
 * The events that a host brings to a member of a region. {@link org.salus.core.event.MemberEvents}
 * has one method for each; it returns effects ({@link org.salus.core.effect}). {@link
 * org.salus.core.event.ForwardingMember} stands before a member and hands every event on. Wrong
 * members are made of it.
 *
 * <p>Invariant: nothing here decides anything. The rules are in {@link org.salus.core.member}.
 */
package org.salus.core.event;
