package org.salus.sim.check;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.salus.core.effect.SessionError;
import org.salus.core.log.SubBatch;

/**
 * P10: of a change that fails and is not in doubt, nothing is sent, before or after. So its user
 * may rely on it that it never takes effect. Each write has bytes of its own; zeroings all look
 * alike, and are not checked.
 */
public final class OnlyDoubtTakesEffect implements Checker {
  private record Change(long mount, long request) {}

  private record Bytes(long mount, long block, ByteBuffer hash) {
    static Bytes of(long mount, Content c) {
      return new Bytes(mount, c.block(), ByteBuffer.wrap(c.hash()));
    }
  }

  private final Map<Change, List<Content>> issued = new HashMap<>();
  private final Set<Bytes> sent = new HashSet<>();

  /** The changes that failed and are not in doubt. */
  private final Map<Bytes, Long> failed = new HashMap<>();

  @Override
  public void writeIssued(long mount, long request, List<Content> contents) {
    issued.put(new Change(mount, request), contents);
  }

  @Override
  public void sent(int region, SubBatch batch, List<Content> contents) {
    contents.stream()
        .filter(c -> c.hash() != null)
        .map(c -> Bytes.of(batch.mountEpoch(), c))
        .forEach(this::send);
  }

  private void send(Bytes bytes) {
    sent.add(bytes);
    Long request = failed.get(bytes);
    if (request != null) {
      throw violation(request, bytes);
    }
  }

  @Override
  public void requestFailed(long mount, long request, SessionError why, boolean inDoubt) {
    for (Content c : issued.getOrDefault(new Change(mount, request), List.of())) {
      if (!inDoubt && c.hash() != null) {
        Bytes bytes = Bytes.of(mount, c);
        failed.put(bytes, request);
        if (sent.contains(bytes)) {
          throw violation(request, bytes);
        }
      }
    }
  }

  private static Violation violation(long request, Bytes of) {
    return new Violation(
        "P10 only doubt takes effect",
        "write "
            + request
            + " of mount "
            + of.mount
            + " failed as if it were never sent, and block "
            + of.block
            + " was");
  }
}
