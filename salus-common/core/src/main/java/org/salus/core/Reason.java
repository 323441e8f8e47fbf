package org.salus.core;

import java.util.Map;
import java.util.Objects;

/**
 * Why something outside of Salus' hands keeps volumes from what they should do. Its words are for
 * people, say the way out, and are made here only. Whoever meets the reason passes it on as it is.
 * Immutable.
 *
 * @param kind what it is about
 * @param words the reason as a sentence without a full stop
 */
public record Reason(Kind kind, String words) {
  /** What a reason is about. */
  public enum Kind {
    SAFE_MODE,
    NAMENODE,
    NO_ROOM,
    QUOTA,
    TABLE,
    ZOOKEEPER,
    FORMAT,
    SECRET,
    GUARD
  }

  public static final Reason SAFE_MODE =
      new Reason(Kind.SAFE_MODE, "HDFS is in safe mode, and takes no changes until it has left it");

  public static final Reason NO_NAMENODE =
      new Reason(
          Kind.NAMENODE,
          "the NameNode does not answer the master: volumes go on as far as they need no new file");

  public static final Reason NO_ROOM =
      new Reason(Kind.NO_ROOM, "the DataNodes have no room for another log segment");

  /** Of a client whose lease may be over. */
  public static final Reason LEASE_UNCONFIRMED =
      new Reason(
          Kind.ZOOKEEPER, "ZooKeeper has not confirmed lately that this client is the writer");

  /** Of a server; the words follow its name. */
  public static final Reason OTHER_SECRET =
      new Reason(
          Kind.SECRET,
          "has another salus.secret than this program: give both the same one, and restart what you"
              + " changed");

  /** The most characters: anybody may have written what is read from ZooKeeper. */
  private static final int MOST_WORDS = 2000;

  /** Shortens the words if they are far too long. */
  public Reason {
    Objects.requireNonNull(kind);
    words = words.substring(0, Math.min(words.length(), MOST_WORDS));
  }

  /** A table of HBase has the name of a volume's, but stands for none. */
  public static Reason tableInTheWay(String table) {
    return new Reason(
        Kind.TABLE,
        "HBase has a table "
            + table
            + " that is no volume's: disable and drop it in the HBase shell, or choose another"
            + " name");
  }

  /** The NameNode has no guard. */
  public static Reason unguarded() {
    return new Reason(
        Kind.GUARD,
        "the NameNode has no guard, so no server serves volumes: start it by 'salus daemon"
            + " namenode', or name org.salus.datanode.hdfs.GuardPlugin in"
            + " dfs.namenode.plugins of its hdfs-site.xml and restart it");
  }

  /** The table of a volume was gone. */
  public static Reason tableGone() {
    return new Reason(Kind.TABLE, "its table in HBase was gone, and is made again");
  }

  /** The table of a volume is not as the volume needs it. */
  public static Reason tableDiffers(int found, int wanted) {
    return new Reason(
        Kind.TABLE, "its table in HBase has " + found + " replicas of regions, not " + wanted);
  }

  /**
   * The table of a volume could not be made.
   *
   * @param why what HBase says
   */
  public static Reason tableFails(String why) {
    return new Reason(Kind.TABLE, "its table in HBase cannot be made: " + why);
  }

  /** ZooKeeper does not answer a new client. */
  public static Reason zooKeeperSilent(String quorum, long millis) {
    return new Reason(
        Kind.ZOOKEEPER, "ZooKeeper at " + quorum + " did not answer within " + millis + " ms");
  }

  /**
   * Nothing is heard of ZooKeeper any more.
   *
   * @param millis since when; negative for ever
   */
  public static Reason zooKeeperAway(String quorum, long millis) {
    return new Reason(
        Kind.ZOOKEEPER,
        "ZooKeeper at "
            + quorum
            + (millis < 0
                ? " has not been heard yet"
                : " has not been heard for " + millis + " ms"));
  }

  /** A server speaks another format of messages; the words follow its name. */
  public static Reason otherMessages(int format, int own) {
    return new Reason(
        Kind.FORMAT,
        "speaks messages of format "
            + format
            + ", not "
            + own
            + " as this program does: run one version of Salus everywhere");
  }

  /** A record or file has another format. */
  public static Reason otherFormat(String what, int format, int own) {
    return new Reason(
        Kind.FORMAT,
        what
            + " was written in format "
            + format
            + ", this program reads "
            + own
            + "; use the version of Salus that wrote it");
  }

  /**
   * A program can work with none of the servers.
   *
   * @param who the program
   * @param strangers the servers and why, in the words that follow their names; not empty
   */
  public static Reason noServerFits(String who, Map<String, Reason> strangers) {
    Map.Entry<String, Reason> one = strangers.entrySet().iterator().next();
    return new Reason(
        one.getValue().kind,
        who
            + " can work with none of the servers "
            + strangers.keySet()
            + ": "
            + one.getKey()
            + " "
            + one.getValue().words);
  }
}
