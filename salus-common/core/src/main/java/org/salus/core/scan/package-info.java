/**
 * What a member finds in a region's log before an epoch opens (paper §4.4, phase 2), and what its
 * server still knows of the log from the epoch before.
 */
package org.salus.core.scan;
