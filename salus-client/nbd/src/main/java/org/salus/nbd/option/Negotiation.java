package org.salus.nbd.option;

import org.salus.client.Volume;

/** What one connection's client and server have agreed on so far. Not thread-safe. */
public final class Negotiation {
  private boolean noZeroes;
  private boolean structured;
  private boolean metaContext;
  private Volume volume;
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

  void setMetaContext(boolean on) {
    metaContext = on;
  }

  /** Whether the client asked for base:allocation. */
  public boolean metaContext() {
    return metaContext;
  }

  void enterTransmission(Volume of) {
    volume = of;
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
