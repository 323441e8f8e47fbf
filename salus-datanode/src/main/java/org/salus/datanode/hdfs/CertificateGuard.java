package org.salus.datanode.hdfs;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.FilePath;
import org.salus.core.log.KnownEpochs.Rrs;
import org.salus.core.log.LogRules;
import org.salus.core.log.Permission;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.Permission.FileState;
import org.salus.core.log.RepairPermit;
import org.salus.core.log.SpecName;
import org.salus.core.log.VolumePath;
import org.salus.core.wire.MalformedException;

/**
 * Allows a change to a region's file only with a record that the members of the region's current
 * RRS have certified for it (P5, §4.2.3). Subclasses know the current RRS. Thread-safe if the
 * subclass is.
 */
public abstract class CertificateGuard implements ChangeGuard {

  /**
   * The words in the refusal of a certificate that the members did not sign, whatever it allows.
   */
  public static final String NOT_CERTIFIED = "is not certified by";

  /**
   * Returns the newest known RRS of a region, or empty when there is none. Its epoch never goes
   * back. Does not block.
   *
   * @param volume the volume's name
   * @param region the region, with the volume's id
   * @throws AccessControlException when what is known is too old to count
   */
  protected abstract Optional<Rrs> current(String volume, RegionId region)
      throws AccessControlException;

  /** Whether the volume of this name and id is being deleted, with all its files. */
  protected abstract boolean isDeleted(String volume, long id) throws AccessControlException;

  /**
   * Returns {@code ip:port} of the DataNode on this server's machine, or empty while the server
   * does not run.
   */
  protected abstract Optional<String> dataNode(String node) throws AccessControlException;

  @Override
  public List<String> membersOf(String path) throws AccessControlException {
    return dataNodesOf(path);
  }

  @Override
  public List<String> dataNodesOf(String path) {
    return List.of();
  }

  @Override
  public void close() {
    // a subclass that holds anything says so
  }

  /** Returns the cluster's secret. The caller must not change the array. */
  protected abstract byte[] secret();

  @Override
  public void check(Change change) throws AccessControlException {
    if (change.op() == Change.Op.MKDIRS) {
      checkDirectory(change);
      return;
    }
    if (change.repair() != null) {
      checkRepair(change);
      return;
    }
    Deed deed =
        switch (change.op()) {
          case CREATE -> Deed.CREATE;
          case ADD_BLOCK -> Deed.ADD_BLOCK;
          case ABANDON_BLOCK -> Deed.ABANDON;
          case FENCE, UPDATE_PIPELINE -> Deed.RECOVER;
          case COMPLETE -> Deed.COMPLETE;
          case DELETE -> change.before() == FileState.DIRECTORY ? Deed.CLEAR : Deed.DELETE;
          default -> throw refused(change, "volumes never need it");
        };
    if (change.op() == Change.Op.UPDATE_PIPELINE && change.length() != 0) {
      throw refused(change, "only the completion of a file sets its length");
    }
    FilePath path = FilePath.parse(change.path());
    if (path == null && change.op() == Change.Op.DELETE && mayDeleteVolume(change)) {
      return;
    }
    if (path == null) {
      throw refused(change, "it is not the file of a region");
    }
    check(change, deed, path.volume(), path.region(), path.kind(), path.number());
  }

  /** Allows the directory with a volume's shape. Others are made with the files in them. */
  private void checkDirectory(Change change) throws AccessControlException {
    int end = change.path().lastIndexOf('/');
    VolumePath volume = VolumePath.parse(change.path().substring(0, end));
    String name = change.path().substring(end + 1);
    if (volume == null || SpecName.parse(volume, name, new Signer(secret())) == null) {
      throw refused(
          change, "it is not the shape of a volume, and other directories come with files");
    }
    RegionId region = permission(change).record().region();
    if (region.volume() != volume.id()) {
      throw refused(change, "the certificate is another volume's");
    }
    check(change, Deed.SHAPE, volume.volume(), region, FilePath.Kind.LOG, 0);
  }

  private void check(
      Change change, Deed deed, String volume, RegionId region, FilePath.Kind kind, long number)
      throws AccessControlException {
    if (!LogRules.PAPER.mayChange(deed, change.before())) {
      throw refused(change, "no certificate allows it for a file that is " + change.before());
    }
    Rrs rrs = current(volume, region).orElseThrow(() -> refused(change, "its region has no RRS"));
    Permission permission = permission(change);
    if (!permission.allows(
        deed,
        region,
        kind,
        number,
        change.length(),
        rrs.epoch(),
        rrs.members(),
        new Signer(secret()))) {
      boolean ofEpoch =
          permission.record().epoch() == rrs.epoch() && permission.record().region().equals(region);
      boolean certified =
          permission
              .record()
              .certifiedBy(rrs.members(), permission.signatures(), new Signer(secret()));
      throw refused(
          change,
          ofEpoch && !certified
              ? permission.record()
                  + " "
                  + NOT_CERTIFIED
                  + " "
                  + rrs.members()
                  + " as the NameNode knows them; salus.secret must be the same in its configuration and theirs"
              : permission.record()
                  + " does not allow it"
                  + (deed == Deed.COMPLETE ? " at " + change.length() + " bytes" : "")
                  + " in epoch "
                  + rrs.epoch());
    }
  }

  private static Permission permission(Change change) throws AccessControlException {
    try {
      return Permission.decode(change.signature());
    } catch (MalformedException e) {
      throw refused(change, "the certificate cannot be read: " + e.getMessage());
    }
  }

  @Override
  public void requireEpoch(String directory, int epoch) throws AccessControlException {
    FilePath any = FilePath.parse(directory + "/" + FilePath.Kind.LOG.prefix() + "00000000");
    if (any == null) {
      throw new AccessControlException(directory + " is not the directory of a region");
    }
    int known = current(any.volume(), any.region()).map(Rrs::epoch).orElse(0);
    if (!LogRules.PAPER.mayScan(known, epoch)) {
      throw new AccessControlException(
          "the NameNode knows epoch " + known + " of " + directory + ", and not yet " + epoch);
    }
  }

  private void checkRepair(Change change) throws AccessControlException {
    FilePath path = FilePath.parse(change.path());
    if (path == null) {
      throw refused(change, "it is not the file of a region");
    }
    Rrs rrs =
        current(path.volume(), path.region())
            .orElseThrow(() -> refused(change, "its region has no RRS"));
    try {
      RepairPermit permit = RepairPermit.decode(change.signature());
      String own = dataNode(permit.node()).orElse(null);
      if (!permit.allows(
          change.repair(), change.path(), own, rrs.epoch(), rrs.members(), new Signer(secret()))) {
        throw refused(
            change,
            permit.node()
                + " with DataNode "
                + own
                + " may not do this in epoch "
                + rrs.epoch()
                + ": "
                + change.repair());
      }
    } catch (MalformedException e) {
      throw refused(change, "the certificate cannot be read: " + e.getMessage());
    }
  }

  private boolean mayDeleteVolume(Change change) throws AccessControlException {
    VolumePath path = VolumePath.parse(change.path());
    return path != null
        && isDeleted(path.volume(), path.id())
        && Arrays.equals(change.signature(), path.deletion(new Signer(secret())));
  }

  private static AccessControlException refused(Change change, String why) {
    return new AccessControlException(change.op() + " of " + change.path() + " refused: " + why);
  }
}
