/**
 * The checks of {@code salus doctor}. Each looks for one kind of trouble, and says for each finding
 * what to do. None asks a daemon by itself.
 */
package org.salus.dist.doctor.check;
