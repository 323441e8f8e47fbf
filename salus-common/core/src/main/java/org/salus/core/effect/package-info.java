/**
 * What the state machines ask of their host. A machine takes one event and returns effects; it
 * performs none. The host performs them in the order given and reports results as further events.
 */
package org.salus.core.effect;
