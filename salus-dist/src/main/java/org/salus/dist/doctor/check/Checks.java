package org.salus.dist.doctor.check;

import java.time.InstantSource;
import java.util.List;

/** All checks. */
public final class Checks {
  /** In the order in which people read what they find. */
  public static final List<Check> ALL =
      List.of(
          new VolumesCheck(),
          new GuardCheck(),
          new HdfsCheck(),
          new PairsCheck(),
          new MasterCheck(),
          new AnswersCheck(),
          new NamesCheck(),
          new PortsCheck(),
          new VersionsCheck(),
          new KeysCheck(),
          new AgreementCheck(),
          new SecretCheck(),
          new LoadedJarsCheck(),
          new DirectoryCheck(),
          new LocalReadsCheck(),
          new SpaceCheck(),
          new PowerCutsCheck(),
          new ScrubCheck(InstantSource.system()),
          new ClocksCheck());

  /** Of a cluster in one process, whose daemons have no info servers. */
  public static final List<Check> STANDALONE = List.of(new VolumesCheck());

  private Checks() {}
}
