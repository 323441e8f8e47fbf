/** What {@code salus doctor} knows of a cluster, as the checks see it. */
package org.salus.dist.doctor.cluster;
