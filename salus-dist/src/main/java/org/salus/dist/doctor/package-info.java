/** {@code salus doctor}: examines a running cluster, and changes nothing. */
package org.salus.dist.doctor;
