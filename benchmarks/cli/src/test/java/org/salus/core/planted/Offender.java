package org.salus.core.planted;

import java.io.File;
import java.util.HashMap;
import java.util.Map;
import org.salus.client.planted.Accomplice;

/** Breaks every rule of the house, for the test that they can fail. */
public final class Offender {
  /** I/O, and hash order. */
  final Map<String, File> files = new HashMap<>();

  /** A clock. */
  final long now = System.nanoTime();

  /** The core knows nothing of those above it; and a cycle. */
  Accomplice above;
}
