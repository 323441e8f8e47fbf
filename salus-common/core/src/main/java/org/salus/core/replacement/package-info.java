/**
 * The master's part of replacement (paper §4.2.2): the record of a region, the keeper that decides
 * when an epoch ends and who goes on, and the choice of the members. The production master and the
 * simulator's run the same classes. An {@link org.salus.core.replacement.Accusation} is a session's
 * word to the master.
 *
 * <p>A keeper never lets go of a holder: the holders change only when an epoch serves.
 */
package org.salus.core.replacement;
