/** Descriptions of volumes as JSON, for programs. */
package org.salus.monitor.json;
