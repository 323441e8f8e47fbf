package org.salus.nbd.option;

import org.salus.client.Volume;

/** What a connection has agreed on so far; belongs to one connection. */
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

  /** The volume, once the handshake is through; before, null. */
  public Volume volume() {
    return volume;
  }

  void end() {
    over = true;
  }

  /** The connection is to be closed when what was said is sent. */
  public boolean over() {
    return over;
  }
}
