package org.salus.core.replacement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.salus.core.Reason;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.replacement.RegionKeeper.Step;
import org.salus.core.replacement.RegionKeeper.Times;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;

/** The decisions about one region (§4.2.2, §4.4 phase 1), on a scripted cluster. */
class RegionKeeperTest {
  private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final RegionId REGION = new RegionId(7, 0);

  private final Signer signer = new Signer(new byte[] {1});

  private final Scripted cluster = new Scripted("a", "b", "c", "d");
  private RegionKeeper keeper = keeper(2);

  private static final class Scripted implements RegionKeeper.Cluster {
    final TreeMap<String, Member> running = new TreeMap<>();
    final Set<String> withoutDataNode = new HashSet<>();
    final Map<String, DataNodeState> states = new TreeMap<>();
    Optional<Reason> trouble = Optional.empty();
    final Set<String> awaited = new HashSet<>();
    List<String> placement = new ArrayList<>();
    EpochRegister register = EpochRegister.NONE;
    long nanos;
    boolean hasUser;

    Scripted(String... nodes) {
      for (String n : nodes) {
        running.put(n, new Member(n, 1, n + ":dn"));
      }
    }

    void pass(long more) {
      nanos += more;
    }

    /** The NameNode hears of an epoch when it opens, and when it serves. */
    void follow(RrsRecord now) {
      EpochLink link = now.link();
      if (now.hasServed()) {
        register = new EpochRegister(link, link);
      } else if (register.newest() == null || register.newest().epoch() < link.epoch()) {
        register = new EpochRegister(register.served(), link);
      }
    }

    @Override
    public EpochRegister register() {
      return register;
    }

    @Override
    public Map<String, Member> running() {
      return running;
    }

    @Override
    public List<String> placement() {
      return placement;
    }

    @Override
    public boolean hasDataNode(Member server) {
      return !withoutDataNode.contains(server.node());
    }

    @Override
    public Optional<Reason> trouble() {
      return trouble;
    }

    @Override
    public boolean hasUser() {
      return hasUser;
    }

    @Override
    public DataNodeState dataNode(Member server) {
      return states.getOrDefault(server.node(), DataNodeState.IN_SERVICE);
    }

    @Override
    public boolean isPatienceOver(String node, boolean restarted) {
      return !awaited.contains(node);
    }

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public long millis() {
      return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
  }

  private RegionKeeper keeper(int minMembers) {
    return keeper(minMembers, false);
  }

  private RegionKeeper keeper(int minMembers, boolean strict) {
    return new RegionKeeper(
        REGION, signer, EpochRules.PAPER, minMembers, strict, Times.USUAL, new Troubled());
  }

  private RrsRecord serving(String... nodes) {
    List<Member> members = List.of(nodes).stream().map(cluster.running::get).toList();
    EpochLink link = EpochLink.first(REGION, 5, members, members, signer);
    return new RrsRecord(link, State.OPENING, "").serving();
  }

  /** The keeper's next step, with a NameNode that knows what the record says. */
  private RrsRecord next(RrsRecord now) {
    cluster.follow(now);
    return look(now);
  }

  private RrsRecord look(RrsRecord found) {
    return keeper.next(found, cluster).map(Step::record).orElse(null);
  }

  @Test
  void theFirstEpochWaitsForThreeServersOfItsPlacement() {
    cluster.placement = List.of("c", "a", "x");
    assertThat(look(null)).isNull();
    cluster.placement = List.of("c", "a", "c", "b");
    RrsRecord first = look(null);
    assertThat(first.nodes()).containsExactly("c", "a", "b");
    assertThat(first.epoch()).isEqualTo(1);
    assertThat(first.holders()).containsExactly("c", "a", "b");
    assertThat(first.link().isGenuine(signer)).isTrue();
  }

  @Test
  void anEpochBuildsOnTheOneThatServedLast() {
    RrsRecord now = serving("a", "b", "c");
    cluster.running.remove("b");
    RrsRecord vain = next(now);
    assertThat(vain.link().before()).isEqualTo(now.link().signature());
    assertThat(vain.served()).isEqualTo(5);
    cluster.pass(LONG_NANOS);
    RrsRecord next = next(vain.broken(Cause.FAILED, "", ""));
    assertThat(next.epoch()).isEqualTo(7);
    assertThat(next.link().before()).isEqualTo(now.link().signature());
    assertThat(next.holders()).containsExactly("a", "b", "c");
  }

  @Test
  void nothingIsDoneWhileTheNameNodeIsSilent() {
    RrsRecord now = serving("a", "b", "c").broken(Cause.FAILED, "", "");
    cluster.register = null;
    assertThat(look(now)).isNull();
    assertThat(look(null)).isNull();
  }

  @Test
  void aForgedRecordIsMadeAgainFromTheChain() {
    RrsRecord now = serving("a", "b", "c");
    cluster.follow(now);
    EpochLink alone =
        new EpochLink(
            REGION,
            6,
            List.of(cluster.running.get("a")),
            now.members(),
            5,
            now.link().signature(),
            true,
            now.link().signature());
    RrsRecord next = look(new RrsRecord(alone, State.OPENING, ""));
    assertThat(next.nodes()).containsExactly("a", "b", "c");
    assertThat(next.link().before()).isEqualTo(now.link().signature());
    assertThat(next.epoch()).isEqualTo(6);
    assertThat(next.note()).contains("not of its chain");
  }

  @Test
  void anOldRecordIsMadeAgainFromTheChain() {
    RrsRecord old = serving("a", "b", "c");
    cluster.running.remove("b");
    RrsRecord now = next(old).serving();
    cluster.follow(now);
    RrsRecord next = look(old);
    assertThat(next.nodes()).containsExactly("a", "c");
    assertThat(next.link().before()).isEqualTo(now.link().signature());
    assertThat(next.holders()).containsExactly("a", "c");
  }

  @Test
  void anEpochHasServedOnceTheNameNodeKnowsItThoughNobodyHasSaidSo() {
    RrsRecord old = serving("a", "b", "c");
    List.of("b", "c").forEach(cluster.running::remove);
    RrsRecord opening = next(old);
    assertThat(opening.nodes()).containsExactly("a", "d");
    cluster.register = new EpochRegister(opening.link(), opening.link());
    for (String node : List.of("b", "c")) {
      cluster.running.put(node, new Member(node, 2, node + ":dn"));
    }
    cluster.running.remove("a");
    cluster.pass(LONG_NANOS);
    RrsRecord next = look(opening);
    assertThat(next.nodes()).as("it has a holder of the epoch that served").contains("d");
    assertThat(next.holders()).containsExactly("a", "d");
  }

  @Test
  void anEpochThatTheNameNodeRefusesIsFollowedByANewerOne() {
    RrsRecord served = serving("a", "b", "c");
    cluster.follow(served);
    EpochLink six = served.link().next(6, served.members(), signer);
    cluster.register = new EpochRegister(six, six);
    EpochLink refused = served.link().next(9, served.members(), signer);
    RrsRecord next =
        look(new RrsRecord(refused, State.OPENING, "").broken(Cause.FAILED, "", "refused"));
    assertThat(next.epoch()).isEqualTo(10);
    assertThat(next.link().before()).isEqualTo(six.signature());
  }

  @Test
  void aLostRecordIsMadeAgainFromTheChain() {
    RrsRecord now = serving("a", "b", "c");
    cluster.follow(now);
    RrsRecord next = look(null);
    assertThat(next.epoch()).isEqualTo(6);
    assertThat(next.holders()).containsExactly("a", "b", "c");
  }

  @Test
  void theNameNodeKnowsWhetherAnEpochHasServed() {
    RrsRecord now = serving("a", "b", "c").broken(Cause.FAILED, "", "");
    RrsRecord opening = next(now);
    cluster.follow(opening);
    assertThat(look(opening.serving())).as("somebody says that it serves").isNull();
    cluster.pass(Times.USUAL.opening());
    assertThat(look(opening.serving()).cause()).as("it is overdue").isEqualTo(Cause.STALLED);
    RrsRecord next = look(opening.serving().broken(Cause.FAILED, "", ""));
    assertThat(next.link().before()).isEqualTo(now.link().signature());
  }

  @Test
  void aRegionThatServesWithThreeIsLeftAlone() {
    assertThat(next(serving("a", "b", "c"))).isNull();
  }

  @Test
  void theHoldersThatRunGoOnAndStayTheHolders() {
    RrsRecord now = serving("a", "b", "c");
    cluster.running.remove("b");
    RrsRecord next = next(now);
    assertThat(next.nodes()).containsExactly("a", "c");
    assertThat(next.epoch()).isEqualTo(6);
    assertThat(next.state()).isEqualTo(State.OPENING);
    assertThat(next.holders()).containsExactly("a", "b", "c");
  }

  @Test
  void aProcessThatHasStartedAgainIsAnother() {
    RrsRecord now = serving("a", "b", "c");
    cluster.running.put("a", new Member("a", 2, "a:dn"));
    RrsRecord next = next(now);
    assertThat(next.members().get(0).startCode()).isEqualTo(2);
    assertThat(next.note()).isEqualTo("a has started again");
  }

  @Test
  void holdersThatMayStillStartAreAwaited() {
    RrsRecord now = serving("a", "b", "c");
    cluster.running.remove("b");
    cluster.awaited.add("b");
    assertThat(next(now)).isNull();
    cluster.awaited.clear();
    assertThat(next(now).nodes()).containsExactly("a", "c");
  }

  @Test
  void aHolderWithoutADataNodeIsNoMemberAndNoSpareEither() {
    RrsRecord now = serving("a", "b", "c").broken(Cause.FAILED, "a", "a: its replica failed");
    cluster.withoutDataNode.addAll(Set.of("a", "b"));
    assertThat(next(now).nodes()).containsExactly("c", "d");
  }

  @Test
  void withoutAHolderTheRegionWaitsAndSaysForWhatOnce() {
    RrsRecord now = serving("a", "b", "c");
    List.of("a", "b", "c").forEach(cluster.running::remove);
    RrsRecord waits = next(now);
    assertThat(waits.epoch()).isEqualTo(5);
    assertThat(waits.state()).isEqualTo(State.BROKEN);
    assertThat(waits.note()).contains("it waits: none of [a, b, c] runs");
    assertThat(next(waits)).isNull();
    cluster.running.put("b", new Member("b", 2, "b:dn"));
    assertThat(next(waits).nodes()).containsExactly("b", "d");
    assertThat(next(waits).note()).doesNotContain("it waits");
  }

  @Test
  void withoutAHolderForAWhileOthersBuildTheRegionFromItsDataNodes() {
    for (String n : List.of("e", "f", "g")) {
      cluster.running.put(n, new Member(n, 1, n + ":dn"));
    }
    RrsRecord now = serving("a", "b", "c");
    List.of("a", "b", "c").forEach(cluster.running::remove);
    cluster.withoutDataNode.add("b");
    RrsRecord waits = next(now);
    assertThat(waits.note())
        .contains("none of [a, b, c] runs", "after 15 s other servers build it", "if 2 can");
    cluster.pass(Times.USUAL.rebuild() - 1);
    assertThat(next(waits)).isNull();
    cluster.pass(1);
    RrsRecord next = next(waits);
    assertThat(next.nodes()).hasSize(3).doesNotContain("a", "b", "c");
    assertThat(next.link().rebuilds()).isTrue();
    assertThat(next.holders()).containsExactly("a", "b", "c");
    assertThat(next.link().holders().get(0).dataNode()).isEqualTo("a:dn");
  }

  @Test
  void aHolderThatComesBackIsTakenBeforeOthersBuildTheRegion() {
    RrsRecord now = serving("a", "b", "c");
    cluster.running.put("e", new Member("e", 1, "e:dn"));
    List.of("a", "b", "c").forEach(cluster.running::remove);
    RrsRecord waits = next(now);
    cluster.pass(Times.USUAL.rebuild() - 1);
    cluster.running.put("b", new Member("b", 2, "b:dn"));
    RrsRecord back = next(waits);
    assertThat(back.nodes()).startsWith("b");
    cluster.running.remove("b");
    cluster.pass(Times.USUAL.rebuild() - 1);
    RrsRecord again = next(back);
    assertThat(again.note()).as("the wait begins anew").contains("none of [a, b, c] runs");
    cluster.pass(Times.USUAL.rebuild() - 1);
    assertThat(next(again)).isNull();
  }

  @Test
  void nobodyBuildsARegionOfWhichNoDataNodeIsLeft() {
    RrsRecord now = serving("a", "b", "c");
    cluster.running.put("e", new Member("e", 1, "e:dn"));
    List.of("a", "b", "c").forEach(cluster.running::remove);
    cluster.withoutDataNode.addAll(List.of("a", "b", "c"));
    RrsRecord waits = next(now);
    assertThat(waits.note()).endsWith("which have its data: start one of them");
    cluster.pass(LONG_NANOS);
    assertThat(next(waits)).isNull();
  }

  @Test
  void aRegionThatHasNeverServedBeginsOnOtherServers() {
    cluster.placement = List.of("a", "b", "c");
    RrsRecord first = look(null);
    cluster.follow(first);
    for (String n : List.of("e", "f")) {
      cluster.running.put(n, new Member(n, 1, n + ":dn"));
    }
    List.of("a", "b", "c").forEach(cluster.running::remove);
    cluster.withoutDataNode.addAll(List.of("a", "b", "c"));
    RrsRecord waits = next(first);
    cluster.pass(Times.USUAL.rebuild());
    RrsRecord next = next(waits);
    assertThat(next.nodes()).hasSize(3).doesNotContain("a", "b", "c");
    assertThat(next.holders()).isEqualTo(next.nodes());
    assertThat(next.link().rebuilds()).as("there is nothing to read").isFalse();
  }

  @Test
  void tooFewServersWaitForMore() {
    RrsRecord now = serving("a", "b", "c");
    List.of("b", "c", "d").forEach(cluster.running::remove);
    assertThat(next(now).note()).contains("only [a] can be members", "asks for 2");
    keeper = keeper(1);
    RrsRecord waits = next(now);
    assertThat(waits.note()).contains("only [a] can be a member", "after 15 s it goes on alone");
    cluster.pass(Times.USUAL.proof());
    RrsRecord next = next(waits);
    assertThat(next.nodes()).containsExactly("a");
    assertThat(next.link().waives()).as("the others had their time").isTrue();
  }

  @Test
  void anEpochWithoutAHolderWaitsForTheUserAndThenForNobody() {
    cluster.hasUser = true;
    RrsRecord now = serving("a", "b", "c");
    cluster.running.remove("c");
    RrsRecord next = next(now);
    assertThat(next.link().waives()).isFalse();
    cluster.pass(Times.USUAL.proof() - 1);
    assertThat(next(next)).isNull();
    cluster.pass(1);
    RrsRecord waived = next(next);
    assertThat(waived.link().waives()).isTrue();
    assertThat(waived.members()).isEqualTo(next.members());
    assertThat(waived.link().before()).isEqualTo(now.link().signature());
    assertThat(waived.note()).contains("[c] did not come back");
    assertThat(next(waived)).as("it opens").isNull();
  }

  @Test
  void theTimeBeginsAnewOnceAnEpochHasServed() {
    cluster.hasUser = true;
    RrsRecord now = serving("a", "b", "c");
    cluster.running.remove("c");
    RrsRecord next = next(now);
    cluster.pass(Times.USUAL.proof() - 1);
    RrsRecord serves = next.serving();
    next(serves);
    cluster.running.remove("b");
    RrsRecord third = next(serves);
    cluster.pass(1);
    assertThat(next(third)).isNull();
  }

  @Test
  void withoutAUserTwoHoldersAreEnough() {
    RrsRecord now = serving("a", "b", "c");
    cluster.running.remove("c");
    assertThat(next(now).link().waives()).isTrue();
    List.of("d", "e").forEach(n -> cluster.running.put(n, new Member(n, 1, n + ":dn")));
    cluster.running.remove("b");
    RrsRecord next = next(now);
    assertThat(next.link().waives()).as("of %s a alone has the data", next.nodes()).isFalse();
  }

  @Test
  void anEpochOfAllHoldersWaitsForNobody() {
    cluster.hasUser = true;
    RrsRecord now = serving("a", "b", "c");
    RrsRecord next = next(now.broken(Cause.FAILED, "", ""));
    assertThat(next.link().succession().isWhole()).isTrue();
    cluster.pass(Times.USUAL.proof());
    assertThat(next(next)).isNull();
  }

  @Test
  void aStrictVolumeWaitsForThreeServersAndSaysSo() {
    keeper = keeper(1, true);
    RrsRecord now = serving("a", "b", "c");
    List.of("c", "d").forEach(cluster.running::remove);
    RrsRecord waits = next(now);
    assertThat(waits.note())
        .isEqualTo(
            "c is gone; it waits: only [a, b] can be members, and the strict volume asks for 3:"
                + " start more servers and their DataNodes");
    assertThat(next(waits)).isNull();
    cluster.running.put("c", new Member("c", 2, "c:dn"));
    assertThat(next(waits).nodes()).containsExactly("a", "b", "c");
  }

  @Test
  void noEpochOfAStrictVolumeHasFewerThanThreeMembers() {
    Map<String, Member> all = Map.copyOf(cluster.running);
    int opened = 0;
    for (Cause cause : Cause.values()) {
      for (String suspect : List.of("", "a", "c")) {
        for (int running = 1; running < 16; running++) {
          cluster.running.putAll(all);
          RrsRecord now = serving("a", "b", "c").broken(cause, suspect, "why");
          keeper = keeper(1, true);
          cluster.pass(LONG_NANOS);
          cluster.running.clear();
          for (String n : all.keySet()) {
            if ((running & 1 << n.charAt(0) - 'a') != 0) {
              cluster.running.put(n, all.get(n));
            }
          }
          RrsRecord next = next(now);
          if (next != null && next.state() == State.OPENING) {
            assertThat(next.nodes()).as("%s, of %s", cause, cluster.running).hasSize(3);
            opened++;
          }
        }
      }
    }
    assertThat(opened).isGreaterThan(100);
  }

  @Test
  void epochsThatDoNotServeComeEverMoreSlowly() {
    RrsRecord now = serving("a", "b", "c").broken(Cause.FAILED, "", "");
    long pause = Times.USUAL.pause();
    for (int inVain = 0; inVain <= 6; inVain++) {
      keeper.opened(now.epoch(), cluster.nanos);
      int doublings = Math.min(Math.max(0, inVain - 1), Times.MOST_DOUBLINGS);
      cluster.pass((pause << doublings) - 1);
      assertThat(next(now)).isNull();
      cluster.pass(1);
      now = next(now).broken(Cause.FAILED, "", "");
    }
  }

  @Test
  void anEpochThatDoesNotOpenEndsForAnotherMemberEachTime() {
    RrsRecord now = serving("a", "b", "c").broken(Cause.FAILED, "", "");
    List<String> blamed = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      cluster.pass(LONG_NANOS);
      now = next(now);
      assertThat(now.state()).isEqualTo(State.OPENING);
      keeper.opened(now.epoch(), cluster.nanos);
      long opening = Times.USUAL.opening() << i;
      cluster.pass(opening - 1);
      assertThat(next(now)).isNull();
      cluster.pass(1);
      now = next(now);
      assertThat(now.state()).isEqualTo(State.BROKEN);
      assertThat(now.cause()).isEqualTo(Cause.STALLED);
      blamed.add(now.suspect());
    }
    assertThat(blamed).doesNotHaveDuplicates().doesNotContain("");
  }

  @Test
  void aServerGetsReadyBeforeItJoins() {
    RrsRecord now = serving("a", "b");
    cluster.placement = List.of("d", "c");
    keeper.opened(now.epoch(), cluster.nanos);
    cluster.pass(Times.USUAL.join() - 1);
    assertThat(next(now)).as("the members first do what has waited").isNull();
    cluster.pass(1);
    RrsRecord asked = next(now);
    assertThat(asked.state()).isEqualTo(State.SERVING);
    assertThat(asked.joining().member().node()).isEqualTo("d");
    assertThat(next(asked)).isNull();
    RrsRecord joined = next(asked.joining(asked.joining().member(), true));
    assertThat(joined.epoch()).isEqualTo(6);
    assertThat(joined.nodes()).containsExactly("a", "b", "d");
    assertThat(joined.holders()).containsExactly("a", "b");
  }

  @Test
  void aServerThatDoesNotGetReadyJoinsAsItIs() {
    cluster.pass(LONG_NANOS);
    RrsRecord asked = next(serving("a", "b"));
    assertThat(next(asked)).isNull();
    cluster.pass(Times.USUAL.ready() - 1);
    assertThat(next(asked)).isNull();
    cluster.pass(1);
    assertThat(next(asked).nodes()).containsExactly("a", "b", "c");
  }

  @Test
  void aServerThatIsGoneGetsReadyNoMore() {
    cluster.pass(LONG_NANOS);
    RrsRecord asked = next(serving("a", "b"));
    cluster.running.remove("c");
    assertThat(next(asked).joining().member().node()).isEqualTo("d");
  }

  @Test
  void whoBrokeAnEpochIsNotAskedForAWhile() {
    cluster.pass(LONG_NANOS);
    RrsRecord without = next(serving("a", "b", "c").broken(Cause.FAILED, "c", "c: stopped"));
    assertThat(without.nodes()).containsExactly("a", "b");
    cluster.running.remove("d");
    keeper.opened(without.epoch(), cluster.nanos);
    cluster.pass(Troubled.NANOS - 1);
    assertThat(next(without.serving())).isNull();
    keeper = keeper(2); // another master knows it from the record
    assertThat(next(without.serving())).isNull();
    cluster.pass(TimeUnit.MILLISECONDS.toNanos(1));
    assertThat(next(without.serving()).joining().member().node()).isEqualTo("c");
  }

  /** Each look must not begin its time anew. */
  @Test
  void whoBrokeAnEpochIsAskedAgainThoughTheRegionWaitsForServers() {
    List.of("b", "c").forEach(cluster.running::remove);
    RrsRecord now = next(serving("a").broken(Cause.FAILED, "", ""));
    assertThat(now.nodes()).containsExactly("a", "d");
    now = now.broken(Cause.FAILED, "d", "d: stopped");
    for (int looks = 0; looks < 29; looks++) {
      RrsRecord waits = next(now);
      assertThat(waits == null || waits.state() == State.BROKEN).isTrue();
      now = waits == null ? now : waits;
      cluster.pass(TimeUnit.SECONDS.toNanos(1));
    }
    cluster.pass(TimeUnit.SECONDS.toNanos(1));
    assertThat(next(now).nodes()).containsExactly("a", "d");
  }

  @Test
  void anEpochThatAnotherMasterOpenedGetsItsWholeTime() {
    RrsRecord now = serving("a", "b", "c").broken(Cause.FAILED, "", "");
    keeper.opened(now.epoch(), cluster.nanos);
    cluster.pass(LONG_NANOS);
    RrsRecord opening = next(now); // the keeper does not hear that this was done
    assertThat(next(opening)).isNull();
    cluster.pass(Times.USUAL.opening() - 1);
    assertThat(next(opening)).isNull();
    cluster.pass(1);
    assertThat(next(opening).cause()).isEqualTo(Cause.STALLED);
  }

  @Test
  void nobodyIsPutOutNorAnEpochEndedForAServerThatJoins() {
    cluster.pass(LONG_NANOS);
    RrsRecord asked = next(serving("a", "b"));
    RrsRecord ready = asked.joining(asked.joining().member(), true);
    cluster.withoutDataNode.add("b");
    assertThat(next(ready)).isNull();
    cluster.withoutDataNode.add("a");
    assertThat(next(ready)).isNull();
    cluster.withoutDataNode.clear();
    assertThat(next(ready).nodes()).containsExactly("a", "b", "c");
  }

  @Test
  void aJoinerIsBlamedBeforeThoseThatHaveServed() {
    cluster.pass(LONG_NANOS);
    RrsRecord asked = next(serving("a", "b"));
    RrsRecord joined = next(asked.joining(asked.joining().member(), true));
    assertThat(next(joined)).isNull();
    cluster.pass(Times.USUAL.opening());
    assertThat(next(joined).suspect()).isEqualTo("c");
  }

  @Test
  void aNewRegionGoesWhereHdfsPlacesReplicas() {
    cluster.placement = List.of("a", "b", "c");
    cluster.states.put("b", DataNodeState.DECOMMISSIONED);
    assertThat(look(null).nodes()).containsExactly("a", "c", "d");
    cluster.states.put("a", DataNodeState.FULL);
    assertThat(look(null).nodes())
        .as("a full DataNode for want of others")
        .containsExactly("c", "d", "a");
    cluster.states.put("a", DataNodeState.IN_MAINTENANCE);
    assertThat(look(null)).isNull();
  }

  @Test
  void aServerJoinsAndTheMemberWhoseDataNodeRetiresLeaves() {
    for (DataNodeState state : DataNodeState.values()) {
      keeper = keeper(2);
      cluster.states.put("b", state);
      RrsRecord asked = next(serving("a", "b", "c"));
      if (!state.isRetiring()) {
        assertThat(asked).as(state.words()).isNull();
        continue;
      }
      assertThat(asked.state()).isEqualTo(State.SERVING);
      assertThat(asked.joining().member().node()).isEqualTo("d");
      assertThat(next(asked)).as("not before it is ready").isNull();
      RrsRecord joined = next(asked.joining(asked.joining().member(), true));
      assertThat(joined.nodes()).containsExactly("a", "c", "d");
      assertThat(joined.holders()).as("joiners read what b has").containsExactly("a", "b", "c");
      assertThat(joined.history().replacements()).containsEntry(Cause.RETIRED, 1);
      assertThat(joined.note()).contains("the DataNode of b " + state.words());
      assertThat(next(joined.serving())).isNull();
    }
  }

  /** HDFS would not place the segment of an epoch with one of them. */
  @Test
  void allWhoseDataNodesRetireLeaveAtOnce() {
    cluster.states.put("a", DataNodeState.DECOMMISSIONING);
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    RrsRecord asked = next(serving("a", "b", "c"));
    RrsRecord joined = next(asked.joining(asked.joining().member(), true));
    assertThat(joined.nodes()).containsExactly("c", "d");
  }

  @Test
  void aMemberStaysWhileNobodyCanTakeItsPlaceAndTheRecordSaysWhy() {
    cluster.running.remove("d");
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    RrsRecord now = serving("a", "b", "c");
    RrsRecord told = next(now);
    assertThat(told.state()).isEqualTo(State.SERVING);
    assertThat(told.nodes()).containsExactly("a", "b", "c");
    assertThat(told.note())
        .contains("no other server can join: the DataNode of b is being decommissioned");
    assertThat(next(told)).as("it is said once").isNull();
    cluster.states.clear();
    assertThat(next(told).note()).as("it is over").isEqualTo(now.note());
    cluster.states.put("b", DataNodeState.DECOMMISSIONED);
    RrsRecord without = next(told.broken(Cause.STALLED, "", told.note()));
    assertThat(without.nodes()).as("HDFS gives b no other segment").containsExactly("a", "c");
    assertThat(without.note()).isEqualTo(now.note());
    cluster.pass(LONG_NANOS);
    assertThat(next(without.serving()).note()).contains("[a, c], for no other server can join");
  }

  @Test
  void aStaleDataNodeJoinsOnlyForWantOfOthers() {
    cluster.pass(LONG_NANOS);
    cluster.placement = List.of("c", "d");
    cluster.states.put("c", DataNodeState.STALE);
    assertThat(next(serving("a", "b")).joining().member().node()).isEqualTo("d");
    cluster.running.remove("d");
    assertThat(next(serving("a", "b")).joining().member().node()).isEqualTo("c");
  }

  @Test
  void noEpochEndsNorOpensWhileHdfsIsInSafeMode() {
    cluster.trouble = Optional.of(Reason.SAFE_MODE);
    cluster.pass(LONG_NANOS);
    assertThat(next(serving("a", "b"))).as("nobody joins").isNull();
    RrsRecord broken = serving("a", "b", "c").broken(Cause.STALLED, "a", "a: stalled");
    assertThat(next(broken)).isNull();
    cluster.trouble = Optional.empty();
    RrsRecord opening = next(broken);
    keeper.opened(opening.epoch(), cluster.nanos);
    cluster.trouble = Optional.of(Reason.SAFE_MODE);
    cluster.pass(LONG_NANOS);
    assertThat(next(opening)).as("nobody is blamed").isNull();
    cluster.trouble = Optional.empty();
    cluster.pass(Times.USUAL.opening() - 1);
    assertThat(next(opening)).as("it gets its whole time after safe mode").isNull();
    cluster.pass(1);
    assertThat(next(opening).state()).isEqualTo(State.BROKEN);
  }

  @Test
  void aRegionWhoseHoldersAllRetireWaitsAndSaysSo() {
    List.of("a", "b", "c").forEach(n -> cluster.states.put(n, DataNodeState.DECOMMISSIONING));
    RrsRecord now = serving("a", "b", "c");
    assertThat(next(now).state())
        .as("its open segment still takes writes")
        .isEqualTo(State.SERVING);
    RrsRecord waits = next(now.broken(Cause.STALLED, "", "stalled"));
    assertThat(waits.state()).isEqualTo(State.BROKEN);
    assertThat(waits.note())
        .contains("it waits: HDFS places nothing where its data is", "the DataNode of c is being");
    cluster.states.remove("c");
    assertThat(next(waits).nodes()).containsExactly("c", "d");
  }

  @Test
  void aClockThatGoesBackKeepsNobodyOut() {
    cluster.pass(LONG_NANOS);
    RrsRecord without = next(serving("a", "b", "c").broken(Cause.FAILED, "c", "c: stopped"));
    cluster.running.remove("d");
    cluster.nanos -= LONG_NANOS;
    keeper = keeper(2);
    assertThat(next(without.serving()).joining().member().node()).isEqualTo("c");
  }

  @Test
  void aSuspectDoesNotGoOnInThePlaceOfHoldersThatRetire() {
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    cluster.states.put("c", DataNodeState.DECOMMISSIONING);
    RrsRecord wrong = serving("a", "b", "c").broken(Cause.WRONG_ANSWER, "a", "a: a wrong block");
    assertThat(next(wrong).note()).contains("take one back", "b is being decommissioned");
    cluster.states.remove("b");
    assertThat(next(wrong).nodes()).contains("b").doesNotContain("a", "c");
  }

  @Test
  void membersThatDisagreeNeedAThirdThoughItRetires() {
    cluster.running.remove("d");
    cluster.states.put("b", DataNodeState.DECOMMISSIONING);
    RrsRecord differ =
        serving("a", "b", "c").broken(Cause.DISAGREED, "", "they answer differently");
    assertThat(next(differ).state()).isEqualTo(State.BROKEN);
    cluster.states.remove("b");
    assertThat(next(differ).nodes()).containsExactly("a", "b", "c");
  }

  @Test
  void nobodyIsBlamedForHdfs() {
    RrsRecord now = serving("a", "b", "c");
    cluster.trouble = Optional.of(Reason.SAFE_MODE);
    assertThat(next(now)).isNull();
    RrsRecord stalled = now.broken(Cause.STALLED, "a", "a keeps a batch");
    assertThat(next(stalled)).isNull();
    cluster.trouble = Optional.empty();
    RrsRecord next = next(stalled);
    assertThat(next.nodes()).containsExactly("a", "b", "c");
    assertThat(next.suspicions()).isEqualTo(next(now.broken(Cause.FAILED, "", "")).suspicions());
  }

  @Test
  void aFullDataNodeJoinsNothingThatServes() {
    cluster.pass(LONG_NANOS);
    cluster.running.remove("d");
    cluster.states.put("c", DataNodeState.FULL);
    assertThat(next(serving("a", "b"))).isNull();
  }
}
