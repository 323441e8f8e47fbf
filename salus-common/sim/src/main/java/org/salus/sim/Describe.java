package org.salus.sim;

import java.lang.reflect.RecordComponent;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogSummary;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.wire.MalformedException;

/**
 * Messages as lines of a trace. Equal contents give equal lines; arrays of bytes appear as numbers.
 */
final class Describe {

  private Describe() {}

  static String endpoint(Endpoint e) {
    return e instanceof Endpoint.Member m
        ? "r" + m.region().index() + ".m" + m.lane()
        : "client" + ((Endpoint.Session) e).mountEpoch();
  }

  static String message(Message m) {
    try {
      if (m instanceof Message.PutRequest p) {
        SubBatch b = SubBatch.decode(p.content());
        return "Put "
            + b.first()
            + ".."
            + b.last()
            + " view "
            + b.view()
            + " prev "
            + b.prevNum()
            + " acked "
            + b.acked()
            + " leader "
            + b.participants().leader();
      }
      if (m instanceof Message.Chain c) {
        return "Chain " + LogRecord.decode(c.header()) + " signed by " + c.signatures().size();
      }
    } catch (MalformedException e) {
      return m.getClass().getSimpleName() + " malformed";
    }
    return fields((Record) m);
  }

  private static String fields(Record r) {
    StringBuilder s = new StringBuilder(r.getClass().getSimpleName());
    for (RecordComponent c : r.getClass().getRecordComponents()) {
      s.append(' ').append(c.getName()).append('=').append(value(r, c));
    }
    return s.toString();
  }

  private static String value(Record r, RecordComponent c) {
    try {
      Object v = c.getAccessor().invoke(r);
      if (v instanceof Message inner) {
        return "(" + message(inner) + ")";
      }
      if (v instanceof LogSummary s) {
        return "acked " + s.acked() + " prepared " + s.prepared().size();
      }
      if (v instanceof Record part) {
        return "(" + fields(part) + ")";
      }
      return v instanceof byte[] b
          ? b.length + "B"
          : v instanceof List<?> l ? l.size() + " items" : String.valueOf(v);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("a record's accessor is public", e);
    }
  }
}
