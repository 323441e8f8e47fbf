package org.salus.sim.explore;

import java.util.List;
import org.salus.core.log.LogRecord;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.wire.MalformedException;
import org.salus.sim.explore.automaton.Parcel;
import org.salus.sim.explore.automaton.ScriptedRequest;

/** The paper's figures as stories without chance. The head of each trace says what it shows. */
final class Figures {

  private Figures() {}

  /** Figure 2: two batches over two regions. The other region leads the second one. */
  static List<String> pipelinedCommit() {
    Story s = new Story(Story.scenario(2, 0));
    s.say(
        "# Figure 2 of the paper, pipelined commit: the client has two batches under way; region 0 leads the first, region 1 the second.");
    s.say(
        "# PC1 choosing the leader, sub-batches: client1 -> r0.M0, r1.M0: PUT, with prevNum, leader and the leader before.");
    s.say(
        "# PC2 preparing: each region logs its sub-batch (CHAIN, CERTIFICATE, on disk: Figure 3) and votes YES to the batch's leader,");
    s.say(
        "#   member i to member i, in lane i. r1 votes to r0 on batch 1..2; a region that leads votes to itself without a message.");
    s.say(
        "# PC3 deciding: r0 commits batch 1..2 in each lane when it has all votes (COMMIT up to 2). r1 commits batch 3..3 only when r0 has");
    s.say(
        "#   confirmed the batch before: CONFIRM?, if r1 has heard nothing of it yet, and COMMIT up to 2 are the COMMIT-CONFIRMATION.");
    s.say(
        "#   The disk writes and votes of both batches overlap: that confirmation is the only point where they wait for each other.");
    s.say("# The client has PUT_SUCCESS when all three lanes have committed.");
    s.say(
        "# rN.Mi is member i of region N's replicated region server; segment:offset is a place in its log.");
    s.begin();
    s.issue(new ScriptedRequest(1, 'w', 127, 2));
    s.issue(new ScriptedRequest(2, 'w', 128, 1));
    s.run();
    return s.lines();
  }

  /** Figure 3: one PUT in one region. */
  static List<String> activeStorage() {
    Story s = new Story(Story.scenario(1, 0));
    s.say(
        "# Figure 3 of the paper, one PUT through active storage: one region of three members, each beside its own DataNode.");
    s.say("# (1) the primary M0 gets the PUT.");
    s.say(
        "# (2) each member checks it, signs its place in the log and forwards it down the chain: CHAIN, signed by 1, by 2.");
    s.say(
        "# (3) with M2's signature the PUT-log certificate is complete; M2 hands it to the others: CERTIFICATE, signed by 3.");
    s.say(
        "# (4) each member appends PUT and certificate to its own replica of the log segment, at the same offsets; once its DataNode");
    s.say("#   has confirmed, the PUT is prepared there.");
    s.say(
        "# (5) the region leads its own batch: each member decides for its lane and tells the client: COMMIT, lanes 0, 1, 2.");
    s.say(
        "# (6) the three lanes' commits together are the PUT_SUCCESS certificate. (In the paper the primary forwards it; here the client");
    s.say("#   gathers it from the members.)");
    s.begin();
    s.issue(new ScriptedRequest(1, 'w', 5, 1));
    s.run();
    return s.lines();
  }

  /** Figure 5: recovery after the client and a member died. */
  static List<String> recovery() {
    Story s = new Story(Story.scenario(2, 1));
    s.say(
        "# Figure 5 of the paper, recovery: the client and a server die; a spare server takes the place, another client mounts the volume.");
    s.say(
        "# Before: PUTs 1,2 are committed. 3,4 are prepared in region 0, in region 1 on disk at M0 only. 5,6 are prepared in region 0 only.");
    s.say(
        "# 1 remapRegion: the master opens the next epoch of region 1, the survivors and the spare.");
    s.say(
        "# 2 recoverRegionLog: each new member reads how far its replica is valid (a torn record is not), LOG-ENDS; M0 takes the longest,");
    s.say(
        "#   all sign that (OPEN), HDFS makes the replicas equal, each member replays the log, a MANIFEST begins the epoch.");
    s.say(
        "# 3 identifyLCP: the mount fences the client before (MOUNT) and learns what every region has committed and prepared;");
    s.say(
        "#   the longest committable prefix is 4: batch 3..4 is prepared in both regions, 5..6 in region 0 only. (In the paper the regions");
    s.say(
        "#   work it out over a file in ZooKeeper; here the mounting client does, and each region checks what it decides.)");
    s.say(
        "# 4 rebuildVolume: every region commits the prefix, discards the rest (RESOLVE) and tells its root; together they give");
    s.say("#   the volume root that came with PUT 4, or the mount would fail.");
    s.begin();
    s.say("-- before: PUTs 1,2 --");
    s.issue(new ScriptedRequest(1, 'w', 127, 2));
    s.run();
    s.say(
        "-- before: PUTs 3 to 6; held up are region 1's appends of 3,4 but for M0's, and region 1's chain for 5,6 --");
    s.holdUp(
        (w, choice) ->
            Choices.kind(choice) == Choices.Kind.APPEND
                    && Choices.what(choice) / World.SEATS == 1
                    && Choices.what(choice) % World.SEATS > 0
                || isChainOf(s.parcel(w, choice), 1, 6));
    s.issue(new ScriptedRequest(2, 'w', 127, 2));
    s.issue(new ScriptedRequest(3, 'w', 127, 2));
    s.run();
    s.say("-- the failures --");
    s.force(
        Choices.Kind.CRASH,
        s.world.homes[s.world.actor(1, 1)],
        ExploredDataNodes.Part.TORN.ordinal());
    s.force(Choices.Kind.CLIENT, s.world.session(1), 0);
    s.say("-- remap, recover, identify, rebuild --");
    s.force(Choices.Kind.KEEP, 1, 0);
    s.holdUp((w, choice) -> false);
    s.run();
    s.say("-- the volume is read back --");
    s.issue(new ScriptedRequest(4, 'r', 127, 2));
    s.run();
    return s.lines();
  }

  private static boolean isChainOf(Parcel p, int region, long lastSeq) {
    if (p == null || !(p.message() instanceof Message.Chain c)) {
      return false;
    }
    try {
      LogRecord r = LogRecord.decode(c.header());
      return r.region().index() == region
          && r.type() == LogRecord.Type.PUT
          && SubBatch.decode(r.content()).last() == lastSeq;
    } catch (MalformedException e) {
      throw new IllegalStateException("a member sent what cannot be read", e);
    }
  }
}
