/**
 * Volumes as block devices of this machine's kernel: {@code salus map}, {@code unmap} and {@code
 * showmapped}. Invariants: what is done to a device is in a small file before it is done, so that
 * the next command can take it back; a volume has one device at most; a device is never detached
 * unless its command line shows that it was attached for the volume of the file.
 */
package org.salus.dist.map;
