/**
 * Merkle trees over a region's blocks (paper §4.3), cut into pages of 128 children: {@link
 * org.salus.core.tree.Page} is one page. {@link org.salus.core.tree.SessionTree} is the session's
 * bounded tree, which verifies pages that are fetched on demand.
 *
 * <p>Invariants: a leaf is the SHA-256 of a block, or zeros for a block that reads as zeros. An
 * inner node is the SHA-256 of 0x01 and its two children, or zeros if both are. So an empty tree of
 * any size needs no memory.
 */
package org.salus.core.tree;
