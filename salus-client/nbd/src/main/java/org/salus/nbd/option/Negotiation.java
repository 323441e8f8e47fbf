package org.salus.nbd.option;

import org.salus.client.Volume;
import org.salus.nbd.Exports;
import org.salus.nbd.Nbd;

/** What one connection's client and server have agreed on so far. Not thread-safe. */
public final class Negotiation {
  private boolean noZeroes;
  private boolean structured;

  /** The export for which the client chose base:allocation, or null. */
  private String metaContextOf;

  private Volume volume;
  private boolean metaContext;
  private boolean over;

  public void setNoZeroes(boolean on) {
    noZeroes = on;
  }

  boolean noZeroes() {
    return noZeroes;
  }

  void useStructuredReplies() {
    structured = true;
  }

  public boolean structured() {
    return structured;
  }

  /** The transmission flags that fit what is negotiated and offered. */
  short transmissionFlags(Exports exports) {
    int offered = Nbd.TRANSMISSION_FLAGS | (structured ? Nbd.FLAG_SEND_DF : 0);
    return (short) (exports.isForOneClient() ? offered & ~Nbd.FLAG_CAN_MULTI_CONN : offered);
  }

  void clearMetaContext() {
    metaContextOf = null;
  }

  void setMetaContext(String export) {
    metaContextOf = export;
  }

  /**
   * Whether the client chose base:allocation for the export of this volume. A choice for an export
   * of another name does not count.
   */
  public boolean metaContext() {
    return metaContext;
  }

  void enterTransmission(String export, Volume of) {
    volume = of;
    metaContext = export.equals(metaContextOf);
  }

  /** The volume after the handshake; null before. */
  public Volume volume() {
    return volume;
  }

  void end() {
    over = true;
  }

  /** Whether the connection must be closed after the last reply. */
  public boolean over() {
    return over;
  }
}
