package org.salus.dist.system;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;

/** Collects what Salus logs as warnings and errors, with what was thrown, until closed. */
final class LogLines extends AppenderSkeleton implements AutoCloseable {
  private static final Logger SALUS = Logger.getLogger("org.salus");

  private final Queue<String> lines = new ConcurrentLinkedQueue<>();

  LogLines() {
    SALUS.setLevel(Level.INFO);
    SALUS.addAppender(this);
  }

  Queue<String> lines() {
    return lines;
  }

  @Override
  protected void append(LoggingEvent event) {
    if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
      String[] thrown = event.getThrowableStrRep();
      lines.add(event.getRenderedMessage() + (thrown == null ? "" : " " + thrown[0]));
    }
  }

  @Override
  public boolean requiresLayout() {
    return false;
  }

  /** Acts once: the garbage collector closes appenders, too, perhaps while another test listens. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      SALUS.removeAppender(this);
      SALUS.setLevel(null);
    }
  }
}
