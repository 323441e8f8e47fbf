/** Reads what the info servers of daemons say. */
package org.salus.dist.doctor.json;
