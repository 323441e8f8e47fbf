package org.salus.datanode.hdfs;

import java.io.IOException;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.AccessControlException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes all answers of the NameNode's guard that refuse something; a rule of the house holds others
 * to it. So each is either counted and logged, or known to be ordinary. Thread-safe.
 */
final class Refusals {
  /** Names a member's word about its region's epochs among the kinds of changes. */
  static final String EPOCH_WORD = "EPOCH_WORD";

  /** The most characters of a reason. */
  private static final int MOST = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
  private static final RefusalLines LINES = new RefusalLines(System::nanoTime);

  private Refusals() {}

  /**
   * The answer to a change that the guard never allows: it is counted, and logged unless the caller
   * makes many of its kind.
   *
   * @param kind the kind of change
   * @param named names the change and the file
   */
  static AccessControlException refuse(String kind, String named) {
    String why = clean(named);
    GuardMetrics.refused();
    String caller = caller();
    if (LINES.mayLog(caller, kind)) {
      LOG.warn("{}", line(caller, why));
    }
    return new AccessControlException(why);
  }

  /**
   * The answer to what healthy clusters ask, too: words of epochs that are over or do not serve
   * yet, HDFS' own reports, and questions. It is not counted.
   */
  static AccessControlException ordinary(String why) {
    return new AccessControlException(clean(why));
  }

  static String line(String caller, String why) {
    return clean(caller)
        + ": "
        + why
        + "; "
        + GuardMetrics.refusals()
        + " changes refused since the start";
  }

  /**
   * Paths and users may be of any length, and have line feeds, which would forge lines of the log.
   * HDFS logs what it answers, too.
   */
  private static String clean(String named) {
    String some = named.length() <= MOST ? named : named.substring(0, MOST) + "...";
    return some.replaceAll("[\\p{Cc}\\u2028\\u2029]", "?");
  }

  /**
   * Who makes the call that this thread serves. Fsck is part of the NameNode, so it has no address.
   */
  static String caller() {
    String address = Server.getRemoteAddress();
    return user() + " " + (address == null ? "by fsck, or within the NameNode" : "at " + address);
  }

  private static String user() {
    try {
      return NameNode.getRemoteUser().toString();
    } catch (IOException unknown) {
      return "an unknown user";
    }
  }
}
