package org.salus.client;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.salus.client.cluster.HandleNote;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.Claimant;
import org.salus.core.mount.KeptMount;
import org.salus.core.mount.MountRules;
import org.salus.core.session.Acknowledgements;

/** Keeps a handle's state in a {@link LastMount}. */
final class UserNote implements HandleNote {
  private final LastMount kept;
  private final VolumeSpec spec;
  private final KeptMount user;

  private UserNote(LastMount kept, VolumeSpec spec, KeptMount user) {
    this.kept = kept;
    this.spec = spec;
    this.user = user;
  }

  /**
   * Reads what an earlier process has kept.
   *
   * @throws SalusException when the volume is not the one of the earlier process, or it is not
   *     known what its user relies on
   */
  static UserNote of(LastMount kept, VolumeSpec spec) {
    String newUser = UUID.randomUUID().toString();
    String process = UUID.randomUUID().toString();
    Optional<LastMount.Mount> found = kept.find();
    found.ifPresent(earlier -> require(earlier, spec));
    KeptMount user =
        found
            .map(earlier -> keptMount(earlier).next(MountRules.PAPER, newUser, process))
            .orElseGet(() -> KeptMount.first(MountRules.PAPER, newUser, process));
    return new UserNote(kept, spec, user);
  }

  private static void require(LastMount.Mount earlier, VolumeSpec spec) {
    if (earlier.volume() != spec.id()) {
      throw SessionFailures.anotherVolume(spec.name());
    }
    if (!MountRules.PAPER.mayGoOn(earlier.isCertain(), spec.synced())) {
      throw SessionFailures.uncertain(spec.name());
    }
  }

  private static KeptMount keptMount(LastMount.Mount earlier) {
    LastMount.Acknowledged a = earlier.acknowledged();
    String user = earlier.claimId();
    long generation = earlier.generation();
    List<String> before = earlier.before();
    return new KeptMount(
        new Claimant(user, generation, earlier.process()),
        IntStream.range(0, before.size())
            .mapToObj(i -> new Claimant(user, generation - 1 - i, before.get(i)))
            .toList(),
        earlier.epoch(),
        a.changes(),
        a.durable(),
        new Acknowledgements(a.since(), a.regions()));
  }

  @Override
  public KeptMount user() {
    return user;
  }

  @Override
  public void begin() throws IOException {
    LastMount.Mount begun =
        new LastMount.Mount(
            spec.id(),
            user.by().user(),
            user.by().generation(),
            user.by().process(),
            user.before().stream().map(Claimant::process).toList(),
            user.epoch(),
            acknowledged(user.acknowledged(), user.durable(), user.regions()),
            true);
    kept.begin(begun, spec.regionCount());
  }

  @Override
  public void mounts(long epoch) throws IOException {
    kept.keep(epoch);
  }

  @Override
  public void relies(long acknowledged, long durable, Acknowledgements regions) throws IOException {
    kept.keep(acknowledged(acknowledged, durable, regions));
  }

  private static LastMount.Acknowledged acknowledged(
      long acknowledged, long durable, Acknowledgements regions) {
    return new LastMount.Acknowledged(acknowledged, durable, regions.since(), regions.seqs());
  }
}
