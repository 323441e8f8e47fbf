/**
 * Merkle trees over a region's blocks (paper §4.3), cut into pages of 128 children: {@link
 * org.salus.core.tree.Page} is one page, {@link org.salus.core.tree.SessionTree} the session's
 * bounded view that fetches and verifies pages on demand.
 *
 * <p>Invariants: a leaf is the SHA-256 of a block, all zeros for a block that reads as zeros; an
 * inner node is the SHA-256 of 0x01 and its two children, all zeros when both are. So an empty tree
 * of any size needs no memory.
 */
package org.salus.core.tree;
