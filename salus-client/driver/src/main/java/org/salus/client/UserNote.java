package org.salus.client;

import java.io.IOException;
import java.util.UUID;
import org.salus.client.cluster.HandleNote;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.MountConfig;
import org.salus.core.session.Acknowledgements;
import org.salus.host.zk.WriterClaim;

/** Keeps a handle's state in a {@link LastMount}. */
final class UserNote implements HandleNote {
  private final String volume;
  private final LastMount kept;
  private final LastMount.Mount earlier;

  private UserNote(String volume, LastMount kept, LastMount.Mount earlier) {
    this.volume = volume;
    this.kept = kept;
    this.earlier = earlier;
  }

  /**
   * Begins to keep the state of a handle, before its first claim.
   *
   * @throws SalusException when the volume is not the one of the earlier process, or it is not
   *     known what its user relies on
   */
  static UserNote begin(LastMount kept, VolumeSpec spec) {
    LastMount.Mount earlier =
        kept.find()
            .orElseGet(
                () ->
                    new LastMount.Mount(
                        spec.id(),
                        UUID.randomUUID().toString(),
                        1,
                        UUID.randomUUID().toString(),
                        0,
                        LastMount.Acknowledged.NOTHING,
                        true));
    if (earlier.volume() != spec.id()) {
      throw SessionFailures.anotherVolume(spec.name());
    }
    if (!earlier.isCertain() && !spec.synced()) {
      throw SessionFailures.uncertain(spec.name());
    }
    try {
      kept.begin(earlier, spec.regionCount());
    } catch (IOException failed) {
      throw new SalusException.Unavailable(
          "volume "
              + spec.name()
              + " is not mounted, because the last mount cannot be kept: "
              + failed.getMessage(),
          failed);
    }
    return new UserNote(spec.name(), kept, earlier);
  }

  @Override
  public boolean lasts() {
    return true;
  }

  @Override
  public WriterClaim claim(WriterClaim first) {
    return first.goingOn(earlier.claimId());
  }

  @Override
  public MountConfig following(MountConfig times) {
    return times.following(earlier.epoch());
  }

  @Override
  public long acknowledged() {
    return earlier.acknowledged().changes();
  }

  @Override
  public long durable() {
    return earlier.acknowledged().durable();
  }

  @Override
  public Acknowledgements regions() {
    return new Acknowledgements(earlier.acknowledged().since(), earlier.acknowledged().regions());
  }

  @Override
  public void mounts(long epoch) {
    try {
      kept.keep(epoch);
    } catch (IOException failed) {
      throw SessionFailures.notKept(volume, failed);
    }
  }

  @Override
  public void relies(long acknowledged, long durable, Acknowledgements regions) {
    try {
      kept.keep(new LastMount.Acknowledged(acknowledged, durable, regions.since(), regions.seqs()));
    } catch (IOException failed) {
      throw SessionFailures.notKept(volume, failed);
    }
  }
}
