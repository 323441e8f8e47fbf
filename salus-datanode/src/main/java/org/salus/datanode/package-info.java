/**
 * What a region member sees of its storage, free of any storage library: readers of one replica,
 * acknowledgements and failures as values. Invariant: an acknowledgement tells what one DataNode
 * has, and never what the other two have.
 */
package org.salus.datanode;
