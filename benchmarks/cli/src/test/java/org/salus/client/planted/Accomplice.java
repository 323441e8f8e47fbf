package org.salus.client.planted;

import org.apache.hadoop.conf.Configuration;
import org.salus.core.planted.Offender;

/** The other half of {@link Offender}'s cycle, with a library that its package is not named for. */
public final class Accomplice {
  Offender below;
  Configuration configuration;
}
