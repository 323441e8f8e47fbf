package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import org.salus.core.log.LogSummary;
import org.salus.core.log.Prepared;
import org.salus.core.message.Message.Refused;
import org.salus.sim.parts.SessionMaker;

/** Sessions with a planted bug. */
public final class SessionMutants {

  private SessionMutants() {}

  private interface Writes {
    WritePipeline make(SessionContext context, PageFetcher fetcher, ReadPath reads);
  }

  private static SessionMaker writes(Writes how) {
    return (spec, mountEpoch, signer, config) ->
        new VolumeSession(spec, mountEpoch, signer, config) {
          @Override
          WritePipeline newPipeline(SessionContext context, PageFetcher fetcher, ReadPath reads) {
            return how.make(context, fetcher, reads);
          }
        };
  }

  /** Acknowledges what two of three lanes have committed. */
  public static final SessionMaker ACKNOWLEDGES_ON_TWO_LANES =
      writes(
          (context, fetcher, reads) ->
              new WritePipeline(context, fetcher, reads) {
                @Override
                long committedByAll(long[] byLane) {
                  return Arrays.stream(byLane).sorted().skip(1).findFirst().orElse(0);
                }
              });

  /** Acknowledges what one lane has committed. */
  public static final SessionMaker ACKNOWLEDGES_ON_ONE_LANE =
      writes(
          (context, fetcher, reads) ->
              new WritePipeline(context, fetcher, reads) {
                @Override
                long committedByAll(long[] byLane) {
                  return Arrays.stream(byLane).max().orElse(0);
                }
              });

  /** Believes the leader about what the other participants have. */
  public static final SessionMaker ACKNOWLEDGES_BY_LEADERS_ONLY =
      writes(
          (context, fetcher, reads) ->
              new WritePipeline(context, fetcher, reads) {
                @Override
                boolean isPrepared(Batch b) {
                  return true;
                }
              });

  /** Does not issue again what a replaced member may have lost. */
  public static final SessionMaker REISSUES_NOTHING =
      writes(
          (context, fetcher, reads) ->
              new WritePipeline(context, fetcher, reads) {
                @Override
                void newView(long now) {
                  // goes on as if nothing had happened
                }
              });

  /** Sends nothing again by itself. */
  public static final SessionMaker NEVER_RESENDS =
      writes(
          (context, fetcher, reads) ->
              new WritePipeline(context, fetcher, reads) {
                @Override
                void onTick(long now) {
                  // what is lost is lost
                }
              });

  private interface Mounts {
    MountProtocol make(SessionContext context);
  }

  private static SessionMaker mounts(Mounts how) {
    return (spec, mountEpoch, signer, config) ->
        new VolumeSession(spec, mountEpoch, signer, config) {
          @Override
          MountProtocol newMounting(SessionContext context) {
            return how.make(context);
          }
        };
  }

  /** Mounts at a prefix that is too short: without what is prepared everywhere. */
  public static final SessionMaker MOUNTS_TOO_SHORT =
      mounts(
          context ->
              new MountProtocol(context) {
                @Override
                boolean isComplete(Prepared p, List<LogSummary> logs) {
                  return false;
                }
              });

  /** Mounts at a prefix that is too long: with what one participant alone has prepared. */
  public static final SessionMaker MOUNTS_TOO_LONG =
      mounts(
          context ->
              new MountProtocol(context) {
                @Override
                boolean isComplete(Prepared p, List<LogSummary> logs) {
                  return true;
                }
              });

  private static SessionMaker refusals(Function<SessionContext, Refusals> how) {
    return (spec, mountEpoch, signer, config) ->
        new VolumeSession(spec, mountEpoch, signer, config) {
          @Override
          Refusals newRefusals(SessionContext context) {
            return how.apply(context);
          }
        };
  }

  /** Believes any member that it is fenced. */
  public static final SessionMaker BELIEVES_FENCED =
      refusals(
          context ->
              new Refusals(context) {
                @Override
                boolean isProven(Refused x) {
                  return true;
                }
              });

  /** Believes any member that what was committed is lost. */
  public static final SessionMaker BELIEVES_LOST =
      refusals(
          context ->
              new Refusals(context) {
                @Override
                boolean isLost(TreeSet<Integer> lanes) {
                  return !lanes.isEmpty();
                }
              });

  private interface Reads {
    ReadPath make(SessionContext context, PageFetcher fetcher);
  }

  private static SessionMaker reads(Reads how) {
    return (spec, mountEpoch, signer, config) ->
        new VolumeSession(spec, mountEpoch, signer, config) {
          @Override
          ReadPath newReads(SessionContext context, PageFetcher fetcher) {
            return how.make(context, fetcher);
          }
        };
  }

  /** Hands out blocks that the volume tree does not confirm. */
  public static final SessionMaker CHECKS_NO_TREE =
      reads(
          (context, fetcher) ->
              new ReadPath(context, fetcher) {
                @Override
                boolean isRight(ByteBuffer block, byte[] leaf) {
                  return true;
                }
              });

  /** Writes blocks that are being read. */
  public static final SessionMaker WRITES_WHILE_READING =
      reads(
          (context, fetcher) ->
              new ReadPath(context, fetcher) {
                @Override
                boolean isReading(long from, long to) {
                  return false;
                }
              });
}
