package org.salus.sim.explore;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.MountBody;
import org.salus.core.log.OpenBody;
import org.salus.core.log.ResolveBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.message.OpeningPhase;
import org.salus.core.wire.MalformedException;
import org.salus.sim.explore.automaton.Note;
import org.salus.sim.explore.automaton.Parcel;
import org.salus.sim.explore.automaton.SessionAutomaton;

/**
 * Tells choices in words: the sender and the receiver, the message, and the place in log or disk.
 */
final class Narrator {
  private final ExploredCluster cluster;
  private final Steps steps;

  Narrator(ExploredCluster cluster, Steps steps) {
    this.cluster = cluster;
    this.steps = steps;
  }

  /** The line that tells what this choice does in this world. */
  String line(World w, int choice) {
    int what = Choices.what(choice);
    int which = Choices.which(choice);
    String part = List.of("none", "a torn one", "all").get(Math.min(which, 2));
    return switch (Choices.kind(choice)) {
      case DELIVER -> flight(w, what);
      case APPEND -> actor(w, what) + " on " + home(w, what) + ": on disk " + append(w, what);
      case OP ->
          actor(w, what)
              + " on "
              + home(w, what)
              + ": "
              + op(cluster.catalog.thing(w.ops[what][which]));
      case KEEP -> "master: region " + what + ": " + steps.master.says(w, what);
      case DROP -> "FAULT lost: " + flight(w, what);
      case DOUBLE -> "FAULT comes twice: " + flight(w, what);
      case DELAY -> "FAULT comes late: " + flight(w, what);
      case ALTER -> "FAULT payload altered: " + flight(w, what);
      case REFUSE -> "FAULT turned into NO: " + flight(w, what);
      case TICK -> "FAULT early time-outs at " + actor(w, what);
      case JOIN -> "FAULT from now on the master has servers join";
      case CRASH ->
          "FAULT "
              + ExploredCluster.nodeName(what)
              + " dies; of its appends under way "
              + part
              + " reached the disk";
      case CLIENT ->
          "FAULT " + actor(w, what) + " dies; client" + (w.mounts + 1) + " mounts the volume";
      case TAKEOVER -> "FAULT client" + (w.mounts + 1) + " mounts the volume beside the others";
      case REPLACE ->
          "FAULT the master opens epoch "
              + (w.epoch[what] + 1)
              + " of region "
              + what
              + " without need";
      case PAUSE ->
          "FAULT "
              + actor(w, w.actor(what, which))
              + " stands still, is replaced, and goes on unaware";
      case POWER ->
          "FAULT power fails everywhere; what is not synced is lost on "
              + ExploredCluster.nodes(which).stream().map(ExploredCluster::nodeName).toList()
              + "; client"
              + (w.mounts + 1)
              + " mounts the volume";
      case LOSE_SERVERS ->
          "FAULT all servers of region "
              + what
              + " die for good; "
              + (which < FaultSteps.ONE_STORE
                  ? "of their appends under way " + part + " reached the disks"
                  : which < FaultSteps.ONE_STORE + w.members(what)
                      ? "but for the DataNode of "
                          + home(w, w.actor(what, which - FaultSteps.ONE_STORE))
                          + ", which loses what is not synced, their DataNodes are away"
                      : "their DataNodes are away");
      case FORGE ->
          "FAULT "
              + ExploredCluster.nodeName(w.nodes - 1)
              + " writes a wrong record of region "
              + what
              + ": "
              + FaultSteps.Forgery.values()[which];
    };
  }

  private String actor(World w, int actor) {
    if (w.isSession(actor)) {
      return "client" + w.mount(actor);
    }
    return "r"
        + actor / World.SEATS
        + ".M"
        + w.place(actor)
        + (actor % World.SEATS == World.UNAWARE ? " (unaware)" : "");
  }

  private static String home(World w, int member) {
    return ExploredCluster.nodeName(w.homes[member]);
  }

  private String flight(World w, int flight) {
    int from = w.flights[flight] % World.STRAY;
    int to = steps.target(w, w.flights[flight + 1]);
    Object x = cluster.catalog.thing(w.flights[flight + 2]);
    String sender = from == w.master() ? "master" : actor(w, from);
    String stray = w.flights[flight] >= World.STRAY ? " (late or again)" : "";
    return sender
        + " -> "
        + actor(w, to)
        + ": "
        + (x instanceof Parcel p ? message(p) : epoch(x))
        + stray;
  }

  private static String epoch(Object x) {
    return x instanceof SessionAutomaton.Rrs r
        ? "region " + r.region() + " is served in epoch " + r.epoch()
        : "region "
            + ((SessionAutomaton.Opening) x).region()
            + " opens epoch "
            + ((SessionAutomaton.Opening) x).epoch();
  }

  // ---- messages ----

  private static String message(Parcel p) {
    try {
      return describe(p.message());
    } catch (MalformedException e) {
      return p.message().getClass().getSimpleName() + " that cannot be read";
    }
  }

  private static String describe(Message m) throws MalformedException {
    if (m instanceof Message.PutRequest x) {
      return "PUT " + batch(SubBatch.decode(x.content())) + ", epoch " + x.epoch();
    } else if (m instanceof Message.MountRequest x) {
      return "MOUNT " + MountBody.decode(x.content()).mountEpoch() + ", epoch " + x.epoch();
    } else if (m instanceof Message.ResolveRequest x) {
      return "RESOLVE prefix " + ResolveBody.decode(x.content()).prefix() + ", epoch " + x.epoch();
    } else if (m instanceof Message.Chain x) {
      return "CHAIN "
          + record(LogRecord.decode(x.header()))
          + ", signed by "
          + x.signatures().size();
    } else if (m instanceof Message.Certified x) {
      return "CERTIFICATE of "
          + (x.offset() < 0 ? "OPEN" : x.segment() + ":" + x.offset())
          + ", signed by "
          + x.signatures().size();
    } else if (m instanceof Message.Vote x) {
      return "VOTE "
          + (x.no() == null ? "YES" : "NO " + x.no())
          + ", batch "
          + x.first()
          + ".."
          + x.last()
          + ", lane "
          + x.lane()
          + ", view "
          + x.view();
    } else if (m instanceof Message.Commit x) {
      return "COMMIT up to "
          + x.seq()
          + ", lane "
          + x.lane()
          + ", by the leader of region "
          + x.leader();
    } else if (m instanceof Message.ConfirmQuery x) {
      return "CONFIRM? up to " + x.seq() + ", lane " + x.lane();
    } else if (m instanceof Message.MountReply x) {
      return "MOUNTED lane "
          + x.lane()
          + ": committed up to "
          + x.summary().acked()
          + ", prepared "
          + x.summary().prepared().stream().map(b -> b.first() + ".." + b.last()).toList();
    }
    return describeOther(m);
  }

  private static String describeOther(Message m) {
    if (m instanceof Message.ResolveReply x) {
      return "RESOLVED lane "
          + x.lane()
          + ": prefix "
          + x.prefix()
          + ", region root "
          + hex(x.regionRoot());
    } else if (m instanceof Message.LogEnds x) {
      return "LOG-ENDS "
          + ends(x.ends())
          + (x.elsewhere().isEmpty() ? "" : ", elsewhere " + ends(x.elsewhere()));
    } else if (m instanceof Message.Opening x) {
      return x.phase() == OpeningPhase.REPLAYING
          ? "REPLAYING: all replicas are equal"
          : x.phase().name();
    } else if (m instanceof Message.Wrote x) {
      return "WROTE the manifest of segment " + x.segment() + (x.asks() ? ". And you?" : "");
    } else if (m instanceof Message.Refused x) {
      return "REFUSED " + x.why() + (x.last() > 0 ? ", batch up to " + x.last() : "");
    } else if (m instanceof Message.Acknowledged x) {
      return "ACKNOWLEDGED: the user relies on PUT " + x.relied().seq();
    } else if (m instanceof Message.GetRequest x) {
      return "GET " + x.count() + " from local " + x.local() + ", prevNum " + x.prevNum();
    } else if (m instanceof Message.GetReply x) {
      return "BLOCKS, lane " + x.lane() + (x.failed() ? ", failed" : "");
    } else if (m instanceof Message.PageRequest x) {
      return "PAGE? level " + x.level() + " index " + x.index();
    } else if (m instanceof Message.PageReply x) {
      return "PAGE, lane " + x.lane();
    } else if (m instanceof Message.Abort x) {
      return "ABORT batch up to " + x.no().last() + ", lane " + x.no().lane() + ", " + x.no().no();
    }
    return m.getClass().getSimpleName();
  }

  private static String batch(SubBatch b) {
    String puts =
        b.puts().stream().map(p -> String.valueOf(p.seq())).collect(Collectors.joining(","));
    return puts
        + " of batch "
        + b.first()
        + ".."
        + b.last()
        + ", view "
        + b.view()
        + ", prevNum "
        + b.prevNum()
        + ", leader region "
        + b.participants().leader()
        + (b.prevLeader().exists() ? ", after leader region " + b.prevLeader().region() : "")
        + ", volume root "
        + hex(b.volumeRoot());
  }

  private static String record(LogRecord r) throws MalformedException {
    String body =
        switch (r.type()) {
          case PUT -> " " + brief(SubBatch.decode(r.content()));
          case MOUNT -> " " + MountBody.decode(r.content()).mountEpoch();
          case RESOLVE -> " prefix " + ResolveBody.decode(r.content()).prefix();
          case OPEN ->
              " old log "
                  + ends(OpenBody.decode(r.content()).recovered())
                  + ", next segment "
                  + OpenBody.decode(r.content()).next();
          default -> "";
        };
    return r.type() + body + (r.at().offset() < 0 ? "" : " at " + r.at());
  }

  private static String brief(SubBatch b) {
    return b.puts().stream().map(p -> String.valueOf(p.seq())).collect(Collectors.joining(","))
        + " of batch "
        + b.first()
        + ".."
        + b.last();
  }

  private static String ends(List<SegmentEnd> ends) {
    return ends.stream().map(s -> s.segment() + ":0.." + s.length()).toList().toString();
  }

  static String hex(byte[] hash) {
    return String.format("%02x%02x%02x%02x", hash[0], hash[1], hash[2], hash[3]);
  }

  // ---- disks ----

  private String append(World w, int member) {
    MemberEffect.Append a = (MemberEffect.Append) cluster.catalog.thing(w.appends[member][0]);
    ByteBuffer b = ByteBuffer.wrap(ExploredDataNodes.bytes(a));
    List<String> records = new ArrayList<>();
    try {
      while (b.hasRemaining()) {
        byte[] header = new byte[LogRecord.headerLength(b)];
        b.get(b.position(), header);
        LogRecord r = LogRecord.decode(header);
        records.add(record(r) + " to " + r.at().plus(r.length(w.size(member))).offset());
        b.position(b.position() + (int) r.length(w.size(member)));
      }
    } catch (MalformedException e) {
      throw new IllegalStateException("a member appends what cannot be read", e);
    }
    return String.join("; ", records) + ", with its certificate" + (a.sync() ? ", synced" : "");
  }

  private static String op(Object x) {
    if (x instanceof MemberEffect.ScanLog) {
      return "reads how far its own replicas are valid";
    } else if (x instanceof MemberEffect.ReplayLog r) {
      return "replays " + ends(r.segments());
    } else if (x instanceof MemberEffect.RecoverSegments r) {
      return "shows HDFS the certified OPEN: old writers are fenced, every replica is made "
          + ends(r.segments().stream().map(MemberEffect.ToEqualize::end).toList());
    } else if (x instanceof MemberEffect.CreateSegment c) {
      return "creates segment " + c.segment() + " at the NameNode";
    } else if (x instanceof MemberEffect.Tidy t) {
      return "shows the NameNode the manifest of segment "
          + t.segment()
          + ": files that it does not name are deleted";
    } else if (x instanceof MemberEffect.ServeGet g) {
      return "reads " + g.count() + " blocks from local " + g.first();
    }
    return x.getClass().getSimpleName();
  }

  /** The line that tells what an application or the master learns from a note, if anything. */
  static Optional<String> note(Note n) {
    if (n instanceof Note.Done d) {
      return Optional.of(
          "client"
              + d.mount()
              + ": "
              + d.request()
              + " is "
              + (d.request().isRead() ? "done" : "acknowledged: PUT_SUCCESS"));
    } else if (n instanceof Note.Mounted m) {
      return Optional.of(
          "client" + m.mount() + ": mounted, the volume is as after PUT " + m.prefix());
    } else if (n instanceof Note.Issued i) {
      return Optional.of("client" + i.mount() + ": " + i.request() + " is issued");
    } else if (n instanceof Note.Serving s) {
      return Optional.of(
          "master: region " + s.region() + " is served by " + s.members() + " members");
    }
    return Optional.empty();
  }
}
