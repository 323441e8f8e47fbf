/** What the commands print: tables, as text and as Markdown. */
package org.salus.dist.text;
