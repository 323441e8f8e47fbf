package org.salus.datanode.hdfs;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogRules;
import org.salus.core.log.Permission;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.Permission.FileState;
import org.salus.core.log.RepairPermit;
import org.salus.core.path.FilePath;
import org.salus.core.path.SpecName;
import org.salus.core.path.VolumePath;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.EpochRules;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.wire.MalformedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Allows a change to a region's file only with a record that the members of the region's current
 * RRS have certified for it (P5, §4.2.3). Which RRS is the current one, the members themselves have
 * told the NameNode ({@link EpochRegister}). Thread-safe if the subclass is.
 */
public abstract class CertificateGuard implements ChangeGuard {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateGuard.class);

  /**
   * The words in the refusal of a certificate that the members did not sign, whatever it allows.
   */
  public static final String NOT_CERTIFIED = "is not certified by";

  private volatile Registers registers;

  protected CertificateGuard() {
    GuardMetrics.show();
  }

  /** Whether the volume of this name and id exists and is in use. */
  protected abstract boolean isActive(String volume, long id) throws AccessControlException;

  /** Whether the volume of this name and id is being deleted, with all its files. */
  protected abstract boolean isDeleted(String volume, long id) throws AccessControlException;

  /**
   * Returns {@code ip:port} of the DataNode on this server's machine, or empty while the server
   * does not run.
   */
  protected abstract Optional<String> dataNode(String node) throws AccessControlException;

  @Override
  public void use(Registers newRegisters) {
    registers = newRegisters;
  }

  @Override
  public EpochRegister take(
      String directory, EpochRegister known, Map<Long, EpochRegister.OpenFile> open, byte[] word)
      throws AccessControlException {
    EpochRegister.Answer answer =
        known.take(word, anyFile(directory).region(), open, EpochRules.PAPER, new Signer(secret()));
    if (answer.refusal() != null) {
      String why = "a word about the epochs of " + directory + " refused: " + answer.refusal();
      throw answer.isForged() ? Refusals.refuse(Refusals.EPOCH_WORD, why) : Refusals.ordinary(why);
    }
    return answer.register();
  }

  @Override
  public void checkRegion(String directory) throws AccessControlException {
    FilePath any = anyFile(directory);
    if (!isActive(any.volume(), any.region().volume())) {
      throw Refusals.ordinary(directory + " is not made: ZooKeeper has no such volume in use");
    }
  }

  private static FilePath anyFile(String directory) throws AccessControlException {
    FilePath any = FilePath.parse(directory + "/" + FilePath.Kind.LOG.prefix() + "00000000");
    if (any == null) {
      throw Refusals.refuse(Refusals.EPOCH_WORD, directory + " is not the directory of a region");
    }
    return any;
  }

  private EpochRegister known(String directory) throws AccessControlException {
    Registers r = registers;
    return r == null ? EpochRegister.NONE : r.of(directory);
  }

  /** Returns the newest epoch of a region that a member has shown, or null. */
  private EpochLink current(String directory) throws AccessControlException {
    return known(directory).newest();
  }

  /** Returns the newest epoch of a region, if the deed fits what is known of it and of the file. */
  private EpochLink current(Change change, Deed deed, String directory)
      throws AccessControlException {
    EpochRegister known = known(directory);
    if (known.newest() == null) {
      throw refused(change, "its region has had no epoch");
    }
    boolean serves = known.isServing();
    if (!LogRules.PAPER.mayChange(deed, change.before(), serves)) {
      throw refused(
          change,
          "no certificate allows it for a file that is "
              + change.before()
              + (serves ? "" : " while " + known.newest() + " does not serve"));
    }
    return known.newest();
  }

  private static String directory(String file) {
    return file.substring(0, file.lastIndexOf('/'));
  }

  @Override
  public List<String> dataNodesOf(String file) {
    try {
      EpochLink link = FilePath.parse(file) == null ? null : current(directory(file));
      return link == null ? List.of() : link.dataNodes();
    } catch (AccessControlException unreadable) {
      LOG.warn("{} may get replicas on any DataNode: {}", file, unreadable.getMessage());
      return List.of();
    }
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
          case FENCE -> Deed.RECOVER;
          case UPDATE_PIPELINE -> Deed.LEAVE_BEHIND;
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
    check(change, deed, directory(change.path()), path.region(), path.kind(), path.number());
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
    RegionId region = permission(change, Deed.SHAPE, null).record().region();
    if (region.volume() != volume.id()) {
      throw refused(change, "the certificate is another volume's");
    }
    String directory = volume.path() + String.format("/%04d", region.index());
    check(change, Deed.SHAPE, directory, region, FilePath.Kind.LOG, 0);
  }

  private void check(
      Change change, Deed deed, String directory, RegionId region, FilePath.Kind kind, long number)
      throws AccessControlException {
    EpochLink rrs = current(change, deed, directory);
    Permission permission = permission(change, deed, rrs);
    if (!permission.allows(
        deed,
        region,
        kind,
        number,
        change.length(),
        rrs.epoch(),
        rrs.nodes(),
        new Signer(secret()))) {
      boolean ofEpoch =
          permission.record().epoch() == rrs.epoch() && permission.record().region().equals(region);
      boolean certified =
          permission
              .record()
              .certifiedBy(rrs.nodes(), permission.signatures(), new Signer(secret()));
      throw refused(
          change,
          ofEpoch && !certified
              ? permission.record()
                  + " "
                  + NOT_CERTIFIED
                  + " "
                  + rrs.nodes()
                  + " as the NameNode knows them; salus.secret must be the same in its"
                  + " configuration and theirs"
              : permission.record()
                  + " does not allow it"
                  + (deed == Deed.COMPLETE ? " at " + change.length() + " bytes" : "")
                  + " in epoch "
                  + rrs.epoch());
    }
    if (!LogRules.PAPER.isInTurn(deed, kind, number, permission, change.segments())) {
      throw refused(
          change,
          deed == Deed.DELETE
              ? "older segments are discarded, too, and go first"
              : "a segment is created only behind all others");
    }
    boolean isPlaced =
        switch (deed) {
          case ADD_BLOCK -> LogRules.PAPER.mayPlace(rrs.dataNodes(), change.dataNodes());
          case LEAVE_BEHIND -> LogRules.PAPER.mayDropOthers(rrs.dataNodes(), change.dataNodes());
          default -> true;
        };
    if (!isPlaced) {
      throw refused(
          change, "the members' DataNodes are " + rrs.dataNodes() + ", not " + change.dataNodes());
    }
  }

  private Permission permission(Change change, Deed deed, EpochLink newest)
      throws AccessControlException {
    try {
      return WrittenManifest.permission(
              deed, change.signature(), newest, EpochRules.PAPER, new Signer(secret()))
          .orElseThrow(
              () ->
                  refused(
                      change,
                      "not every member of " + newest + " has said that it has the manifest"));
    } catch (MalformedException e) {
      throw refused(change, "the certificate cannot be read: " + e.getMessage());
    }
  }

  private void checkRepair(Change change) throws AccessControlException {
    FilePath path = FilePath.parse(change.path());
    if (path == null) {
      throw refused(change, "it is not the file of a region");
    }
    EpochLink rrs = current(change, Deed.REPAIR, directory(change.path()));
    try {
      RepairPermit permit = RepairPermit.decode(change.signature());
      String own = dataNode(permit.node()).orElse(null);
      if (!permit.allows(
          change.repair(), change.path(), own, rrs.epoch(), rrs.nodes(), new Signer(secret()))) {
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
    return Refusals.refuse(
        change.op().name(), change.op() + " of " + change.path() + " refused: " + why);
  }
}
