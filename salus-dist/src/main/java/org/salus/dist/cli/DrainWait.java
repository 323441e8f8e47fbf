package org.salus.dist.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.salus.client.SalusException;
import org.salus.client.ServerList;

/**
 * Waits until no region needs a host that is drained, and tells how far it is. ZooKeeper and the
 * master may be away meanwhile.
 */
final class DrainWait {
  private static final long LOOK_MILLIS = 500;

  /** A change that the master began before it knew of the note is seen within this time. */
  private static final long SURE_MILLIS = TimeUnit.SECONDS.toMillis(3);

  private static final long TELL_AGAIN_MILLIS = TimeUnit.SECONDS.toMillis(30);

  private final String host;
  private final Supplier<ServerList> look;
  private final Supplier<String> why;
  private final Pause pause;
  private final PrintWriter err;
  private String told = "";
  private long sinceTold;

  /** Lets time pass. */
  interface Pause {
    void millis(long millis) throws IOException;
  }

  /**
   * @param host what is drained, as it was noted
   * @param why says why it may take long, or nothing
   */
  DrainWait(
      String host, Supplier<ServerList> look, Supplier<String> why, Pause pause, PrintWriter err) {
    this.host = host;
    this.look = look;
    this.why = why;
    this.pause = pause;
    this.err = err;
  }

  /**
   * Returns when two looks in a row have found that no region needs the host.
   *
   * @throws IOException when somebody lets the host have members again
   */
  void await() throws IOException {
    boolean wasFree = false;
    while (true) {
      boolean isFree = isFree();
      if (isFree && wasFree) {
        return;
      }
      wasFree = isFree;
      pause(isFree ? SURE_MILLIS : LOOK_MILLIS);
    }
  }

  private boolean isFree() throws IOException {
    try {
      ServerList now = look.get();
      if (!now.drained().contains(host)) {
        throw new IOException(
            host + " is drained no more: somebody else has let it have members again");
      }
      if (now.isFree(host)) {
        return true;
      }
      tell(words(now, host), why);
    } catch (SalusException.Unavailable away) {
      tell("the wait for " + host + " goes on: " + away.getMessage(), () -> "");
    }
    return false;
  }

  /** How many regions need a host, and why there may be more, in words. */
  static String words(ServerList all, String host) {
    return all.regions(host)
        + " regions still need "
        + host
        + (all.unknown().isEmpty()
            ? ""
            : "; it is not known whether more do: " + String.join("; ", all.unknown()));
  }

  /** Tells what is new at once, and the same from time to time. */
  private void tell(String words, Supplier<String> more) {
    boolean isNew = !words.equals(told);
    if (isNew || sinceTold >= TELL_AGAIN_MILLIS) {
      sinceTold = 0; // first, because the question for more may fail
      told = words;
      err.println("salus: " + words + (isNew ? "" : more.get()));
      err.flush();
    }
  }

  private void pause(long millis) throws IOException {
    pause.millis(millis);
    sinceTold += millis;
  }
}
