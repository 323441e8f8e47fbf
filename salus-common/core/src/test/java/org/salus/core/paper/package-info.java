/**
 * One small test for each rule of the paper's sections 2.2 and 4.1 to 4.4. Classes and tests are
 * named after the section, so that a reader of the paper finds a rule by its number.
 */
package org.salus.core.paper;
