package org.salus.datanode.hdfs;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.FilePath;
import org.salus.core.log.Permission;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.RepairPermit;
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

  /** A region's epoch and its members in chain order. */
  public record Rrs(int epoch, List<String> members) {}

  /**
   * Returns the current RRS of a region, or empty when there is none.
   *
   * @param volume the volume's name
   * @param region the region, with the volume's id
   */
  protected abstract Optional<Rrs> current(String volume, RegionId region);

  /** Whether the volume of this name and id is being deleted, with all its files. */
  protected abstract boolean isDeleted(String volume, long id);

  /**
   * Returns {@code ip:port} of the DataNode on this server's machine, or empty while the server
   * does not run.
   */
  protected abstract Optional<String> dataNode(String node);

  /** Returns the cluster's secret. The caller must not change the array. */
  protected abstract byte[] secret();

  @Override
  public void check(Change change) throws AccessControlException {
    if (change.op() == Change.Op.MKDIRS) {
      return; // an empty directory holds no data
    }
    if (change.repair() != null) {
      checkRepair(change);
      return;
    }
    Deed deed =
        switch (change.op()) {
          case CREATE, ADD_BLOCK, ABANDON_BLOCK -> Deed.CREATE;
          case FENCE, UPDATE_PIPELINE -> Deed.RECOVER;
          case COMPLETE -> Deed.COMPLETE;
          case DELETE -> Deed.DELETE;
          default -> throw refused(change, "volumes never need it");
        };
    if (change.op() == Change.Op.UPDATE_PIPELINE && change.length() != 0) {
      throw refused(change, "only the completion of a file sets its length");
    }
    FilePath path = FilePath.parse(change.path());
    if (path == null && deed == Deed.DELETE && mayDeleteVolume(change)) {
      return;
    }
    if (path == null) {
      throw refused(change, "it is not the file of a segment");
    }
    Rrs rrs =
        current(path.volume(), path.region())
            .orElseThrow(() -> refused(change, "its region has no RRS"));
    try {
      Permission permission = Permission.decode(change.signature());
      if (!permission.allows(
          deed,
          path.region(),
          path.kind(),
          path.number(),
          change.length(),
          rrs.epoch(),
          rrs.members(),
          new Signer(secret()))) {
        boolean ofEpoch =
            permission.record().epoch() == rrs.epoch()
                && permission.record().region().equals(path.region());
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
    } catch (MalformedException e) {
      throw refused(change, "the certificate cannot be read: " + e.getMessage());
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

  private boolean mayDeleteVolume(Change change) {
    VolumePath path = VolumePath.parse(change.path());
    return path != null
        && isDeleted(path.volume(), path.id())
        && Arrays.equals(change.signature(), path.deletion(new Signer(secret())));
  }

  private static AccessControlException refused(Change change, String why) {
    return new AccessControlException(change.op() + " of " + change.path() + " refused: " + why);
  }
}
