package org.salus.master.hdfs;

import java.io.IOException;
import java.security.SecureRandom;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.ipc.RemoteException;
import org.salus.core.recovery.GuardQuestion;

/** Asks the NameNode whether it is guarded. */
public final class GuardReader {
  private static final SecureRandom RANDOM = new SecureRandom();

  private GuardReader() {}

  /**
   * Whether the NameNode that takes changes is guarded. Blocks.
   *
   * @throws IOException if it does not say
   */
  public static boolean isGuarded(DistributedFileSystem hdfs) throws IOException {
    GuardQuestion question = new GuardQuestion(RANDOM.nextLong());
    CallerContext before = CallerContext.getCurrent();
    CallerContext.setCurrent(
        new CallerContext.Builder("salus").setSignature(question.encode()).build());
    try {
      hdfs.getClient().getNamenode().getFileInfo("/"); // every user may
      return false;
    } catch (RemoteException said) {
      if (question.isAnsweredBy(said.getMessage())) {
        return true;
      }
      throw said;
    } finally {
      CallerContext.setCurrent(before);
    }
  }
}
