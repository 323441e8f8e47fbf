package org.salus.client;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Makes the exceptions for requests of a session that has ended or cannot take them. */
final class SessionFailures {
  private SessionFailures() {}

  static SalusException fenced(String volume) {
    return new SalusException.Fenced(
        "volume "
            + volume
            + " was taken over by another writer, and this handle is over; open the volume again to"
            + " go on, with force if the other writer still has it");
  }

  static SalusException leaseLost(String volume) {
    return new SalusException.Unavailable(
        "volume "
            + volume
            + ": the writer's lease is lost, as when ZooKeeper was away; this handle mounts the"
            + " volume again by itself: read, or write again",
        null);
  }

  static SalusException overtaken(String volume) {
    return new SalusException.Fenced(
        "volume "
            + volume
            + " was mounted by another writer meanwhile, and this handle is over; open the volume"
            + " again to go on");
  }

  static SalusException anotherVolume(String volume) {
    return new SalusException.NotFound(
        "the volume "
            + volume
            + " of the last mount was deleted, and another one of its name was made");
  }

  static SalusException uncertain(String volume) {
    return new SalusException.Integrity(
        "this machine ended without a word since volume "
            + volume
            + " was last mounted, so it is not known what was acknowledged, and whether the volume"
            + " lacks some of it");
  }

  static SalusException notKept(String volume, IOException why) {
    return new SalusException.Unavailable(
        "volume "
            + volume
            + ": the last mount cannot be kept, and this handle is over: "
            + why.getMessage()
            + "; open the volume again once it can be",
        why);
  }

  static SalusException noSpace(String volume) {
    return new SalusException.NoSpace(
        "volume "
            + volume
            + ": the DataNodes have no room for another log segment; free or add disk space");
  }

  /**
   * @param nanos how long the session waited, in nanoseconds
   * @param reason what it waited for
   */
  static SalusException timedOut(String volume, long nanos, String reason) {
    return new SalusException.TimedOut(
        "volume "
            + volume
            + ": no answer within "
            + TimeUnit.NANOSECONDS.toSeconds(nanos)
            + " s, its request timeout: "
            + reason);
  }

  static SalusException stopped(String volume, SalusException failure) {
    return new SalusException.Stopped(
        "volume "
            + volume
            + ": an earlier change failed, and the volume was opened to stop there; open it again"
            + " to go on. The failure: "
            + failure.getMessage(),
        failure);
  }

  static SalusException givenUp(String volume) {
    return new SalusException.Failed(
        "volume " + volume + ": the time that the caller gave a change was over before it was sent",
        null);
  }

  static SalusException closed(String volume) {
    return new SalusException.Closed("volume " + volume + " is closed");
  }

  static SalusException clientClosed(String volume) {
    return new SalusException.Closed("volume " + volume + ": its client is closed");
  }

  static SalusException broken(String volume, Throwable bug) {
    return new SalusException.Broken(
        "volume " + volume + ": the driver has ended it after " + bug + "; open it again to go on",
        bug);
  }
}
