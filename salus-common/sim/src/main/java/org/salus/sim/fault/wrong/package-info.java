/** Commission faults: nodes whose members are wrong for a while, and messages that come again. */
package org.salus.sim.fault.wrong;
