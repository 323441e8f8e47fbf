package org.salus.nbd;

import java.util.concurrent.CompletionException;
import org.salus.client.SalusException;
import org.salus.client.Volume;

/**
 * Checks every request before it reaches the volume, and maps every failure to an errno.
 * Thread-safe.
 */
public final class RequestGate {

  private RequestGate() {}

  /**
   * Returns 0, or the errno with which the request is refused.
   *
   * @param structured whether replies are structured
   * @param metaContext whether the client chose base:allocation for this volume
   */
  public static int check(Request r, Volume v, boolean structured, boolean metaContext) {
    int known =
        switch (r.command()) {
          case Nbd.CMD_READ -> Nbd.CMD_FLAG_FUA | (structured ? Nbd.CMD_FLAG_DF : 0);
          case Nbd.CMD_WRITE, Nbd.CMD_TRIM, Nbd.CMD_FLUSH -> Nbd.CMD_FLAG_FUA;
          case Nbd.CMD_WRITE_ZEROES -> Nbd.CMD_FLAG_FUA | Nbd.CMD_FLAG_NO_HOLE;
          case Nbd.CMD_BLOCK_STATUS -> Nbd.CMD_FLAG_FUA | Nbd.CMD_FLAG_REQ_ONE;
          default -> -1;
        };
    boolean status = r.command() == Nbd.CMD_BLOCK_STATUS;
    if (known < 0 || (r.flags() & ~known) != 0 || status && (!metaContext || r.length() == 0)) {
      return Nbd.EINVAL;
    }
    if (r.command() == Nbd.CMD_FLUSH) {
      return r.offset() == 0 && r.length() == 0 ? 0 : Nbd.EINVAL;
    }
    if (r.offset() < 0 || r.bytes() > v.size() || r.offset() > v.size() - r.bytes()) {
      boolean writes = r.command() == Nbd.CMD_WRITE || r.command() == Nbd.CMD_WRITE_ZEROES;
      return writes ? Nbd.ENOSPC : Nbd.EINVAL;
    }
    if (r.command() == Nbd.CMD_READ && r.bytes() > Nbd.MAX_PAYLOAD) {
      return structured ? Nbd.EOVERFLOW : Nbd.EINVAL;
    }
    return 0;
  }

  /** The errno of a failed request. */
  public static int errno(Throwable failure) {
    Throwable t =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (t instanceof SalusException.UnknownOutcome unknown) {
      return errno(unknown.reason());
    }
    if (t instanceof SalusException.NoSpace) {
      return Nbd.ENOSPC;
    }
    return t instanceof SalusException.Closed
            || t instanceof SalusException.Fenced
            || t instanceof SalusException.NotFound
        ? Nbd.ESHUTDOWN
        : Nbd.EIO;
  }
}
