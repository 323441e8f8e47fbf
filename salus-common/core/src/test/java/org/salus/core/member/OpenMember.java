package org.salus.core.member;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.message.Message.Chain;
import org.salus.core.wire.MalformedException;

/** The parts of a member that serves an epoch of three, with nothing in its log. */
final class OpenMember {
  static final int MAX_LIVE_SEGMENTS = 4;

  final VolumeSpec spec = new VolumeSpec("disk", 1, 4096, 256, 1, false, VolumeSpec.MIN_SEGMENT);
  final RegionContext c;
  final RecordRelay relay;

  OpenMember(int place) {
    c =
        new RegionContext(
            spec,
            new Seat(spec.regionId(0), 7, List.of("a", "b", "c"), place),
            new Signer(new byte[0]),
            new MemberConfig(1, MAX_LIVE_SEGMENTS),
            MemberRules.PAPER);
    relay = new RecordRelay(c, new ReadService(c, new PageLoader(c)));
    c.next = new Position(1, 0);
    c.serving = true;
  }

  /** The effects since the last call. */
  List<MemberEffect> effects() {
    return c.out.take();
  }

  /** The records among these effects that go down the chain. */
  static List<LogRecord> forwarded(List<MemberEffect> effects) {
    List<LogRecord> records = new ArrayList<>();
    for (MemberEffect e : effects) {
      if (e instanceof Send s && s.message() instanceof Chain x) {
        try {
          records.add(LogRecord.decode(x.header()));
        } catch (MalformedException damaged) {
          throw new AssertionError(damaged);
        }
      }
    }
    return records;
  }

  List<LogRecord.Type> proposed() {
    return forwarded(effects()).stream().map(LogRecord::type).toList();
  }

  /** A certified record, as it is once it is prepared. */
  static Entry certified(LogRecord r) {
    Entry e = new Entry(r, null, List.of(), null);
    e.certificate = Collections.nCopies(3, new byte[Signer.BYTES]);
    return e;
  }
}
