/**
 * What a mounted volume needs of the cluster: members, over {@link
 * org.salus.client.cluster.SessionTransport}, and the records of its writer, over {@link
 * org.salus.client.cluster.WriterStore}. {@link org.salus.client.cluster.MountTools} has all of it.
 * Internal: no application needs these classes.
 *
 * <p>Invariant: nothing here knows of requests or of the exceptions that an application sees.
 */
package org.salus.client.cluster;
