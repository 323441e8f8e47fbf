package org.salus.core.session;

import java.util.Arrays;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;

/** Sessions with a planted bug. */
public final class SessionMutants {

  private SessionMutants() {}

  /** Acknowledges what two of three lanes have committed. */
  public static VolumeSession acknowledgesOnTwoLanes(VolumeSpec spec, long mountEpoch, Signer signer, SessionConfig config) {
    return new VolumeSession(spec, mountEpoch, signer, config) {
      @Override
      WritePipeline newPipeline(SessionContext context, PageFetcher fetcher, ReadPath reads) {
        return new WritePipeline(context, fetcher, reads) {
          @Override
          long committedByAll(long[] byLane) {
            return Arrays.stream(byLane).sorted().skip(1).findFirst().orElse(0);
          }
        };
      }
    };
  }
}
