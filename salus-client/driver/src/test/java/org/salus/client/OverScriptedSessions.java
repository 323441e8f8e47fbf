package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionException;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.SessionError;

/** A queue of requests over scripted sessions, and what its tests ask of it. */
abstract class OverScriptedSessions {
  static final int BLOCK = ScriptedSession.BLOCK;
  static final SalusException WHY = new SalusException.TimedOut("no answer");

  final VolumeSpec spec = new VolumeSpec("disk", 9, BLOCK, 256, 1, false, 64 << 20);
  final ScriptedLoop loop = new ScriptedLoop();
  final RequestQueue queue = new RequestQueue(spec, loop);
  final ScriptedSession session = new ScriptedSession(256);
  final ScriptedSession next = new ScriptedSession(256);

  ReadOperation read(long firstBlock, int blocks) {
    return add(new ReadOperation(BLOCK, firstBlock * BLOCK, ByteBuffer.allocate(blocks * BLOCK)));
  }

  WriteOperation write(long offset, int length) {
    return add(new WriteOperation(BLOCK, offset, ByteBuffer.allocate(length), false));
  }

  <T extends Operation<?>> T add(T op) {
    queue.add(op);
    return op;
  }

  static Throwable failure(Operation<?> op) {
    assertThat(op.result).isCompletedExceptionally();
    try {
      op.result.join();
      throw new AssertionError("it did not fail");
    } catch (CompletionException failed) {
      return failed.getCause();
    }
  }

  /** Why a change failed of which it is not known whether it took effect. */
  static SalusException reason(Operation<?> op) {
    assertThat(failure(op)).isInstanceOf(SalusException.UnknownOutcome.class);
    return ((SalusException.UnknownOutcome) failure(op)).reason();
  }

  void endSession(SessionError why, SalusException reason) {
    session.failAll(why);
    queue.unmounted(reason);
  }

  ZeroOperation zero(long offset, long length) {
    return add(new ZeroOperation(BLOCK, offset, length, false));
  }

  Operation<?> flush() {
    return add(new RemoteVolume.Flush(BLOCK));
  }
}
