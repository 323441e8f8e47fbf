package org.salus.sim.fault.wrong.file;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.salus.core.compaction.CheckpointSet;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Position;
import org.salus.core.replacement.WrittenManifest;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that asks the NameNode to delete its region's files, with a manifest that nobody
 * else has signed.
 */
public final class Deletes extends WrongMember {

  public Deletes(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
    if (e instanceof MemberEffect.Append && random.nextInt(10) == 0) {
      ManifestBody empty = new LogState().manifest(seat.members(), List.of());
      ManifestBody nothing =
          new ManifestBody(
              seat.members(),
              List.of(),
              empty.mount(),
              empty.progress(),
              List.of(),
              new CheckpointSet(List.of(), Long.MAX_VALUE, List.of()));
      LogRecord r =
          new LogRecord(
              LogRecord.Type.MANIFEST,
              seat.region(),
              seat.epoch(),
              new Position(1 << 20, 0),
              nothing.encode());
      List<byte[]> signatures =
          new ArrayList<>(
              Collections.nCopies(
                  seat.members().size(), signer.sign(seat.name(), r.headerBuffer())));
      out.add(tidy(new WrittenManifest(r.permission(signatures), signatures)));
    }
  }
}
