package org.salus.sim.check;

import java.util.List;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.Permission.FileState;

/**
 * P5: no file of a volume is created, completed or deleted without the certificate of its region's
 * current RRS. The certificate is a record of that epoch which every member has signed, and its
 * type must allow such a change. What belongs to the creation of a file never touches a file that
 * has a block.
 */
public final class NoSpuriousChange implements Checker {
  private final Signer signer;

  public NoSpuriousChange(Signer signer) {
    this.signer = signer;
  }

  @Override
  public void fileChanged(FileChange c) {
    LogRecord r = c.permission().record();
    List<byte[]> signatures = c.permission().signatures();
    boolean current = r.region().equals(c.region()) && r.epoch() == c.epoch();
    boolean signed = !c.members().isEmpty() && signatures.size() == c.members().size();
    for (int i = 0; signed && i < signatures.size(); i++) {
      signed = signer.verifies(c.members().get(i), signatures.get(i), r.headerBuffer());
    }
    boolean fit =
        switch (r.type()) {
          case OPEN, MANIFEST -> true;
          case ROLL, BUILD -> isCreation(c.deed());
          default -> false;
        };
    fit &= !isCreation(c.deed()) || c.before() != FileState.WITH_BLOCK;
    if (!current || !signed || !fit) {
      throw new Violation(
          "P5 no spurious change",
          c.deed()
              + " of "
              + c.kind()
              + " "
              + c.number()
              + " of region "
              + c.region().index()
              + " in epoch "
              + c.epoch()
              + " with "
              + r
              + (signed ? "" : ", which not all of " + c.members() + " have signed"));
    }
  }

  private static boolean isCreation(Deed deed) {
    return deed == Deed.CREATE || deed == Deed.ADD_BLOCK || deed == Deed.ABANDON;
  }
}
