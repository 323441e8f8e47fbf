package org.salus.core.session;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.salus.core.Lanes;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.log.Durable;
import org.salus.core.log.LogRequest;
import org.salus.core.log.LogSummary;
import org.salus.core.log.MountBody;
import org.salus.core.log.Prepared;
import org.salus.core.log.ResolveBody;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.MountRequest;
import org.salus.core.message.Message.ResolveReply;
import org.salus.core.message.Message.ResolveRequest;
import org.salus.core.message.MessageCodec;
import org.salus.core.tree.SessionTree;
import org.salus.core.tree.TreeShape;

/**
 * Mounts a volume (paper §4.3, §4.4):
 *
 * <ol>
 *   <li>Fence older mounts at every region.
 *   <li>Identify the longest committable prefix from what the regions hold.
 *   <li>Have it committed and the rest discarded.
 *   <li>Compare the volume root.
 * </ol>
 *
 * <p>Every lane of every region must say the same of its log. If members tell different region
 * roots, the volume root shows which is right.
 */
final class MountProtocol {
  /** The number of disputes of a region's members after which the master is told again. */
  private static final int TELL_AGAIN = 8;

  /** The most combinations of region roots to try if members tell different ones. */
  private static final int MOST_COMBINATIONS = 10_000;

  private final SessionContext c;

  /** The answers to MOUNT, by region and lane. */
  private final Map<Integer, Map<Integer, MountReply>> mounts = new TreeMap<>();

  private final Map<Integer, Map<Integer, ResolveReply>> resolves = new TreeMap<>();
  private ResolveBody resolution;
  private boolean done;
  private long lastSent;

  /** The prefix that the answers give; null before. */
  private ResolveBody found;

  /** What is lost, until that is noted durably; null if there is nothing to note. */
  private SessionEffect.WentBack unnoted;

  /** The answers in which members differ, in words; empty if none. */
  private String dispute = "";

  /** How often the members of a region's present epoch have differed, by region. */
  private final Map<Integer, Integer> disputes = new TreeMap<>();

  /** The number of consecutive rounds in which no answer came. */
  private int inVain;

  MountProtocol(SessionContext c) {
    this.c = c;
  }

  boolean done() {
    return done;
  }

  /** Whether every member of every region has answered, so that all their logs have this mount. */
  boolean isLogged() {
    return resolution != null;
  }

  /** The committed prefix that the mount begins with. */
  long prefix() {
    return resolution.prefix();
  }

  /** That prefix with the volume root after it. It is durable once the mount is done. */
  Durable mounted() {
    return new Durable(resolution.prefix(), resolution.volumeRoot());
  }

  /**
   * Sends every question that is not answered yet, perhaps again. As long as a region does not
   * serve, for want of room perhaps, it sends none: the others would log one mount after the other
   * in vain.
   */
  void send(long now) {
    lastSent = now;
    if (!allServe()) {
      return;
    }
    for (int r = 0; r < c.epochs.length; r++) {
      if (resolution == null && answers(mounts, r) < Lanes.COUNT) {
        LogRequest mount = new MountBody(c.mountEpoch).request(c.spec.regionId(r), c.epochs[r]);
        c.send(r, 0, new MountRequest(c.epochs[r], mount.content(), c.sign(mount)), null);
      } else if (resolution != null && answers(resolves, r) < Lanes.COUNT) {
        LogRequest resolve = resolution.request(c.spec.regionId(r), c.epochs[r]);
        c.send(r, 0, new ResolveRequest(c.epochs[r], resolve.content(), c.sign(resolve)), null);
      }
    }
  }

  private boolean allServe() {
    return IntStream.range(0, c.epochs.length).allMatch(c::serves);
  }

  private static int answers(Map<Integer, ? extends Map<Integer, ?>> replies, int region) {
    Map<Integer, ?> of = replies.get(region);
    return of == null ? 0 : of.size();
  }

  void onTick(long now) {
    if (!done && now - lastSent >= c.config.resendAfterNanos()) {
      send(now);
      if (allServe() && ++inVain >= SessionBlame.PATIENCE) {
        inVain = 0;
        complain();
      }
    }
  }

  /**
   * Complains, for each region, of the first member by lane whose answer is missing. If all are
   * missing that is M0, which may have kept the question to itself.
   */
  private void complain() {
    for (int r = 0; r < c.epochs.length; r++) {
      Set<Integer> answered =
          (resolution == null
                  ? mounts.getOrDefault(r, Map.of())
                  : resolves.getOrDefault(r, Map.of()))
              .keySet();
      for (int lane = 0; lane < Lanes.COUNT; lane++) {
        if (!answered.contains(lane)) {
          c.complain(r, lane, "has not answered mount " + c.mountEpoch);
          break;
        }
      }
    }
  }

  /** Forgets a region's answers: its RRS was replaced. Its members get as long as others had. */
  void forget(int region) {
    inVain = 0;
    disputes.remove(region);
    if (resolution == null) {
      mounts.remove(region);
      unnoted = null;
    }
    resolves.remove(region);
  }

  void onMountReply(int region, MountReply m, long now) {
    inVain = 0;
    if (resolution != null
        || unnoted != null
        || !c.rules.answers(m, c.mountEpoch, c.epochs[region])) {
      return;
    }
    mounts.computeIfAbsent(region, k -> new TreeMap<>()).put(m.lane(), m);
    if (mounts.size() < c.epochs.length
        || mounts.values().stream().anyMatch(x -> x.size() < Lanes.COUNT)) {
      return;
    }
    if (lanesAgree()) {
      identify(now);
    }
  }

  /** It is noted durably what is lost. A word of what an earlier round has found counts not. */
  void noted(SessionEffect.WentBack loss, long now) {
    if (loss.equals(unnoted)) {
      unnoted = null;
      goOn(found, now);
    }
  }

  /** Whether the mount waits until it is noted what is lost. */
  boolean awaitsNote() {
    return unnoted != null;
  }

  /**
   * Whether all lanes of each region agree. Members that differ are asked again: others may be
   * there by then.
   */
  private boolean lanesAgree() {
    dispute = "";
    for (int r = 0; r < c.epochs.length; r++) {
      Map<String, TreeSet<Integer>> said = new TreeMap<>();
      mounts
          .get(r)
          .forEach(
              (lane, m) -> said.computeIfAbsent(text(m.summary()), k -> new TreeSet<>()).add(lane));
      if (said.size() > 1) {
        disagree(r, said.values(), "what its log holds");
        mounts.remove(r);
      }
    }
    return dispute.isEmpty();
  }

  private static String text(LogSummary s) {
    return Arrays.toString(MessageCodec.encode(new MountReply(0, 0, 0, s)));
  }

  private void disagree(int region, Collection<TreeSet<Integer>> said, String about) {
    int odd =
        said.stream()
            .filter(lanes -> said.size() == 2 && lanes.size() == 1)
            .map(TreeSet::first)
            .findFirst()
            .orElse(c.epochs[region] % Lanes.COUNT);
    dispute = "the members of region " + region + " say differently " + about;
    if (disputes.merge(region, 1, Integer::sum) % TELL_AGAIN == 1) {
      c.out(
          new SessionEffect.Disagree(
              region, c.epochs[region], odd, "says " + about + " unlike other members"));
    }
  }

  /** The answers in which members differ, in words; empty if none. */
  String dispute() {
    return dispute;
  }

  /**
   * Finds the longest committable prefix: the longest run of batches without a gap, each prepared
   * at all its participants. Goes on with it, perhaps after a note of what is lost.
   */
  private void identify(long now) {
    List<LogSummary> logs = new ArrayList<>();
    mounts.values().forEach(lanes -> logs.add(lanes.get(0).summary()));
    Durable durable =
        logs.stream()
            .map(LogSummary::durable)
            .max(Comparator.comparingLong(Durable::seq))
            .orElse(Durable.NOTHING);
    long prefix = durable.seq();
    byte[] root = durable.root();
    if (lacksDurable(prefix, logs)) {
      return;
    }
    for (Prepared next = complete(prefix + 1, logs);
        next != null;
        next = complete(prefix + 1, logs)) {
      prefix = next.last();
      root = next.volumeRoot();
    }
    long acked = logs.stream().mapToLong(LogSummary::acked).max().orElse(0);
    if (prefix < acked && c.spec.synced()) {
      fail(
          -1,
          "the regions' logs agree up to seq "
              + prefix
              + " only, but "
              + acked
              + " was acknowledged"
              + SessionContext.BRING_BACK);
      return;
    }
    found = new ResolveBody(c.mountEpoch, prefix, root);
    SessionEffect.WentBack loss =
        new SessionEffect.WentBack(prefix, c.rules.acknowledged(acked, c.told), false);
    if (loss.prefix() < loss.acked()) {
      c.out(loss);
      if (c.rules.awaitsNote(loss)) {
        unnoted = loss;
        return;
      }
    }
    goOn(found, now);
  }

  private void goOn(ResolveBody next, long now) {
    if (!c.rules.mayGoOn(next.prefix(), c.needed)) {
      fail(
          -1,
          "writes that were acknowledged and not flushed are lost, as in a power cut of all servers: the volume is as it"
              + " was after PUT "
              + next.prefix()
              + " of "
              + c.needed
              + "; close it, then open it again and check what is on it");
      return;
    }
    resolution = next;
    inVain = 0; // while the note was written nobody was asked
    send(now);
  }

  /** Whether a region lacks what another one knows to be durable. */
  private boolean lacksDurable(long durable, List<LogSummary> logs) {
    for (LogSummary l : logs) {
      for (Prepared p : l.prepared()) {
        for (int r : p.participants()) {
          if (p.last() <= durable
              && logs.get(r).durable().seq() < p.last()
              && !logs.get(r).holds(p)) {
            fail(
                r,
                "all replicas of its log lack the batch "
                    + p.first()
                    + ".."
                    + p.last()
                    + ", which was on disk"
                    + SessionContext.BRING_BACK);
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Whether the regions know that everything up to the prefix is durable. */
  boolean isKnownDurable() {
    return mounts.values().stream()
        .allMatch(lanes -> lanes.get(0).summary().durable().seq() == resolution.prefix());
  }

  private Prepared complete(long first, List<LogSummary> logs) {
    for (LogSummary l : logs) {
      for (Prepared p : l.prepared()) {
        if (p.first() == first && c.rules.isComplete(p, logs)) {
          return p;
        }
      }
    }
    return null;
  }

  void onResolveReply(int region, ResolveReply m) {
    inVain = 0;
    if (resolution == null || done || !c.rules.answers(m, resolution, c.epochs[region])) {
      return;
    }
    resolves.computeIfAbsent(region, k -> new TreeMap<>()).put(m.lane(), m);
    if (resolves.size() < c.epochs.length
        || resolves.values().stream().anyMatch(x -> x.size() < Lanes.COUNT)) {
      return;
    }
    int[] left = {MOST_COMBINATIONS};
    List<byte[]> roots = confirmed(new ArrayList<>(), left);
    if (roots == null && left[0] > 0) {
      fail(-1, "the regions' roots do not give the volume root");
    } else if (roots == null) {
      rootsDisagree();
    } else {
      accept(roots);
    }
  }

  private void accept(List<byte[]> roots) {
    resolves.forEach(
        (r, lanes) ->
            lanes.forEach(
                (lane, x) -> {
                  if (!Arrays.equals(x.regionRoot(), roots.get(r))) {
                    c.report(
                        r,
                        lane,
                        true,
                        "computes a root of its region that the volume root does not confirm");
                  }
                }));
    begin(roots);
  }

  /**
   * Finds the roots, one of those told for each region, that give the volume root. Returns null if
   * none do, or too many would have to be tried.
   */
  private List<byte[]> confirmed(List<byte[]> chosen, int[] left) {
    List<byte[]> roots = new ArrayList<>(chosen);
    while (roots.size() < c.epochs.length) {
      List<TreeSet<Integer>> told = told(roots.size());
      if (told.size() != 1) {
        return oneOf(told, roots, left);
      }
      roots.add(root(roots.size(), told.get(0)));
    }
    left[0]--;
    return Arrays.equals(c.hashes.volume(roots), resolution.volumeRoot()) ? roots : null;
  }

  private List<byte[]> oneOf(List<TreeSet<Integer>> told, List<byte[]> chosen, int[] left) {
    for (TreeSet<Integer> lanes : told) {
      List<byte[]> next = new ArrayList<>(chosen);
      next.add(root(chosen.size(), lanes));
      List<byte[]> all = left[0] > 0 ? confirmed(next, left) : null;
      if (all != null) {
        return all;
      }
    }
    return null;
  }

  private byte[] root(int region, TreeSet<Integer> lanes) {
    return resolves.get(region).get(lanes.first()).regionRoot();
  }

  /** The sets of lanes that tell the same root of a region, largest first. */
  private List<TreeSet<Integer>> told(int region) {
    Map<String, TreeSet<Integer>> byRoot = new TreeMap<>();
    resolves
        .get(region)
        .forEach(
            (lane, x) ->
                byRoot
                    .computeIfAbsent(Arrays.toString(x.regionRoot()), k -> new TreeSet<>())
                    .add(lane));
    return byRoot.values().stream().sorted(Comparator.comparing(lanes -> -lanes.size())).toList();
  }

  private void rootsDisagree() {
    for (int r = 0; r < c.epochs.length; r++) {
      if (told(r).size() > 1) {
        disagree(r, told(r), "what its root is");
        resolves.remove(r);
      }
    }
  }

  private void begin(List<byte[]> roots) {
    TreeShape shape = new TreeShape(c.spec.regionBlocks());
    for (int r = 0; r < roots.size(); r++) {
      c.trees[r] = new SessionTree(shape, roots.get(r), c.config.pagesPerRegion(), c.hashes);
    }
    done = true;
    c.out(new SessionEffect.Mounted());
  }

  private void fail(int region, String what) {
    c.out(new SessionEffect.Report(region, -1, what));
    c.ended = SessionError.INTEGRITY;
  }
}
