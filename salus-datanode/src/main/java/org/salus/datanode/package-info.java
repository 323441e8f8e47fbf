/**
 * A region member's view of its storage, free of any storage library: readers of one replica, and
 * acknowledgements and failures as values. Invariant: an acknowledgement says which bytes one
 * DataNode has, and says nothing of the other two.
 */
package org.salus.datanode;
