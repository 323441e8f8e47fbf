package org.salus.sim.fault.process;

import java.util.Random;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;

/**
 * The NameNode waits for reports of replicas that are final. For a while it completes no file, so
 * that members delete none either. Epochs come that find the files of those before.
 */
final class FilesStayOpen implements SimFault {
  @Override
  public void inject(Levers c, Random random) {
    c.trace("fault: files stay open");
    c.finishFiles(false);
  }

  @Override
  public void heal(Levers c) {
    c.finishFiles(true);
  }
}
