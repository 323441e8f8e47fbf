/**
 * What a region server measures at its members, for metrics. A message or an append costs a few
 * additions here, without a lock or an allocation for each block.
 */
package org.salus.regionserver.meter;
