/**
 * Whole clusters as users have them, with the tools that users have. Each test needs root: it
 * mounts file systems.
 */
package org.salus.dist.system;
