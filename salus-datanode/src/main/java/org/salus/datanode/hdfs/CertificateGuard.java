package org.salus.datanode.hdfs;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.security.AccessControlException;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.Permission;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.SegmentPath;
import org.salus.core.wire.MalformedException;

/**
 * Allows a change to a segment's file only with a record that the members of the region's current RRS have certified
 * for it (P5). Subclasses know the current RRS. Thread-safe if they are.
 */
public abstract class CertificateGuard implements ChangeGuard {

    /** A region's epoch and its members in chain order. */
    public record Rrs(int epoch, List<String> members) {
    }

    /** The region's current RRS, or empty when it has none. */
    protected abstract Optional<Rrs> current(RegionId region);

    /** The cluster's secret. */
    protected abstract byte[] secret();

    @Override
    public void check(Change change) throws AccessControlException {
        if (change.op() == Change.Op.MKDIRS) {
            return; // an empty directory holds nobody's data
        }
        Deed deed = switch (change.op()) {
            case CREATE, ADD_BLOCK, ABANDON_BLOCK -> Deed.CREATE;
            case FENCE, UPDATE_PIPELINE -> Deed.RECOVER;
            case COMPLETE -> Deed.COMPLETE;
            case DELETE -> Deed.DELETE;
            default -> throw refused(change, "volumes never need it");
        };
        SegmentPath path = SegmentPath.parse(change.path());
        if (path == null) {
            throw refused(change, "it is not the file of a segment");
        }
        Rrs rrs = current(path.region()).orElseThrow(() -> refused(change, "its region has no RRS"));
        try {
            Permission permission = Permission.decode(change.signature());
            if (!permission.allows(deed, path.region(), path.segment(), rrs.epoch(), rrs.members(), new Signer(secret()))) {
                throw refused(change, permission.record() + " does not allow it in epoch " + rrs.epoch());
            }
        } catch (MalformedException e) {
            throw refused(change, "the certificate cannot be read: " + e.getMessage());
        }
    }

    private static AccessControlException refused(Change change, String why) {
        return new AccessControlException(change.op() + " of " + change.path() + " refused: " + why);
    }
}
