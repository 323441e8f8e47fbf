package org.salus.sim.explore.automaton;

import java.util.List;
import org.salus.core.log.LogRecord;
import org.salus.core.log.SubBatch;
import org.salus.core.replacement.EpochRegister;
import org.salus.sim.check.Checker;
import org.salus.sim.check.Checker.Content;

/** An event that the checkers are told. */
public sealed interface Note {
  void tell(Checker c);

  record Issued(long mount, ScriptedRequest request, List<Content> contents) implements Note {
    @Override
    public void tell(Checker c) {
      if (request.isRead()) {
        c.readIssued(mount, request.id(), contents.stream().map(Content::block).toList());
      } else {
        c.writeIssued(mount, request.id(), contents);
      }
    }
  }

  record Done(long mount, ScriptedRequest request, List<Content> contents) implements Note {
    @Override
    public void tell(Checker c) {
      if (request.isRead()) {
        c.readDone(mount, request.id(), contents);
      } else {
        c.writeDone(mount, request.id(), contents, false);
      }
    }
  }

  record Sent(int region, SubBatch batch, List<Content> contents) implements Note {
    @Override
    public void tell(Checker c) {
      c.sent(region, batch, contents);
    }
  }

  record Committed(int lane, long mount, long seq) implements Note {
    @Override
    public void tell(Checker c) {
      c.committed(lane, mount, seq);
    }
  }

  record OnDisk(String node, List<Integer> lanes, LogRecord record) implements Note {
    @Override
    public void tell(Checker c) {
      c.onDisk(node, lanes, record);
    }
  }

  record Mounted(long mount, long prefix) implements Note {
    @Override
    public void tell(Checker c) {
      c.mounted(mount, prefix);
    }
  }

  record DisksReset() implements Note {
    @Override
    public void tell(Checker c) {
      c.disksReset();
    }
  }

  record PowerCut() implements Note {
    @Override
    public void tell(Checker c) {
      c.powerCut();
    }
  }

  record EpochKnown(int region, EpochRegister before, EpochRegister after, byte[] word)
      implements Note {
    @Override
    public void tell(Checker c) {
      c.epochKnown(region, before, after, word);
    }
  }

  /**
   * A region's RRS has this many members now. It is no event of a checker, but checkers ask for the
   * number.
   */
  record Serving(int region, int members) implements Note {
    @Override
    public void tell(Checker c) {}
  }
}
