package org.salus.core.replacement;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.Succession.Waiver;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * One link of a region's chain of epochs: who the members of an epoch are, and on which epoch it
 * builds (paper §4.2.2, §5). The master signs it, so nobody else can say who the members are.
 * Immutable.
 *
 * @param region the region, with the volume's id
 * @param epoch the epoch's number, from 1
 * @param members the members in chain order, one to three
 * @param holders those that have everything that was acknowledged before this epoch: the members of
 *     the epoch that served last; those of the first epoch while none has served
 * @param served the epoch that served last before this one; 0 for none
 * @param before the signature of that epoch's link, in hexadecimal digits; empty for none
 * @param waiver why the epoch may serve without the holders that are no members, though no user has
 *     said that nothing is missing
 * @param signature the master's, over everything else, in hexadecimal digits
 */
public record EpochLink(
    RegionId region,
    int epoch,
    List<Member> members,
    List<Member> holders,
    int served,
    String before,
    Waiver waiver,
    String signature) {

  /** Copies the lists. Whoever wrote the record in ZooKeeper may have left something out. */
  public EpochLink {
    Objects.requireNonNull(region);
    Objects.requireNonNull(before);
    Objects.requireNonNull(waiver);
    Objects.requireNonNull(signature);
    members = List.copyOf(members);
    holders = List.copyOf(holders);
    if (members.isEmpty()) {
      throw new IllegalArgumentException("an epoch without members");
    }
    if (members.size() > Lanes.COUNT) {
      throw new IllegalArgumentException("an epoch of more than three members: " + members);
    }
  }

  /** Signs the link of an epoch before which none has served. */
  public static EpochLink first(
      RegionId region, int epoch, List<Member> members, List<Member> holders, Signer signer) {
    return new EpochLink(region, epoch, members, holders, 0, "", Waiver.NONE, "").signed(signer);
  }

  /** Signs the link of an epoch that builds on this one, which has served, and waives nothing. */
  public EpochLink next(int number, List<Member> newMembers, Signer signer) {
    return next(number, newMembers, Waiver.NONE, signer);
  }

  /** Signs the link of an epoch that builds on this one, which has served. */
  public EpochLink next(int number, List<Member> newMembers, Waiver newWaiver, Signer signer) {
    return new EpochLink(region, number, newMembers, members, epoch, signature, newWaiver, "")
        .signed(signer);
  }

  private EpochLink signed(Signer signer) {
    byte[] by = signer.sign(Signer.masterName(), content());
    return new EpochLink(
        region, epoch, members, holders, served, before, waiver, HexFormat.of().formatHex(by));
  }

  /** Whether the master has signed this link. */
  public boolean isGenuine(Signer signer) {
    byte[] by = signer.sign(Signer.masterName(), content());
    return HexFormat.of().formatHex(by).equals(signature);
  }

  /** The members' names in chain order. */
  public List<String> nodes() {
    return members.stream().map(Member::node).toList();
  }

  /** The members' DataNodes in chain order, each as {@code ip:port}. */
  public List<String> dataNodes() {
    return members.stream().map(Member::dataNode).toList();
  }

  /** The holders' names. */
  public List<String> holderNodes() {
    return holders.stream().map(Member::node).toList();
  }

  /**
   * Whether no holder is a member: no server with the DataNode that has its data. Then the members
   * build the region from what is on the holders' DataNodes (paper §4.2.2), also if they are the
   * same servers with other DataNodes.
   */
  public boolean rebuilds() {
    return served > 0 && succession().staying() == 0;
  }

  /**
   * Whether a member takes part only if its log reaches the epoch that served last. A joiner beside
   * a holder need not.
   */
  public boolean mustReach(Member member) {
    return rebuilds() || isHolder(member);
  }

  /**
   * Whether a member of this epoch is a holder: the same server with the same DataNode. On another
   * DataNode its replica is still to be made, so it is a joiner.
   */
  public boolean isHolder(Member member) {
    return holders.stream().anyMatch(h -> Succession.isSame(h, member));
  }

  /**
   * The DataNode that a server leaves, because it is a holder there and its replica is elsewhere in
   * this epoch; or empty. What the server has there counts until this epoch serves.
   */
  public Optional<String> left(Member member) {
    return served == 0 || isHolder(member)
        ? Optional.empty()
        : holders.stream()
            .filter(h -> h.node().equals(member.node()))
            .map(Member::dataNode)
            .findFirst();
  }

  /**
   * Whether a member by this name leaves the DataNode with its data, beside a holder that stays.
   */
  public boolean moves(String node) {
    return !rebuilds()
        && members.stream().anyMatch(m -> m.node().equals(node) && left(m).isPresent());
  }

  /** Whether a replica moves in this epoch. */
  public boolean moves() {
    return nodes().stream().anyMatch(this::moves);
  }

  /** The holders that are no members with the DataNodes that have their data. */
  public List<Member> absent() {
    return holders.stream()
        .filter(h -> members.stream().noneMatch(m -> Succession.isSame(h, m)))
        .toList();
  }

  /** In what way this epoch takes the place of the one that served before. */
  public Succession succession() {
    return Succession.of(this);
  }

  private ByteBuffer content() {
    Encoder e = new Encoder(512);
    writeContent(e);
    return ByteBuffer.wrap(e.toBytes());
  }

  private void writeContent(Encoder e) {
    e.i64(region.volume())
        .i32(region.index())
        .i32(epoch)
        .list(members, EpochLink::write)
        .list(holders, EpochLink::write)
        .i32(served)
        .string(before)
        .u8(waiver.ordinal());
  }

  private static void write(Encoder e, Member m) {
    e.string(m.node()).i64(m.startCode()).string(m.dataNode());
  }

  private static Member readMember(Decoder d) throws MalformedException {
    return new Member(d.string(), d.i64(), d.string());
  }

  private static Waiver readWaiver(Decoder d) throws MalformedException {
    int n = d.u8();
    if (n >= Waiver.values().length) {
      throw new MalformedException("waiver " + n);
    }
    return Waiver.values()[n];
  }

  /** Writes the link with its signature. */
  public void write(Encoder e) {
    writeContent(e);
    e.string(signature);
  }

  /** Reads what {@link #write(Encoder)} has written. It need not be genuine. */
  public static EpochLink read(Decoder d) throws MalformedException {
    RegionId region = new RegionId(d.i64(), d.i32());
    int epoch = d.i32();
    List<Member> members = d.list(EpochLink::readMember);
    if (members.isEmpty() || members.size() > Lanes.COUNT) {
      throw new MalformedException("an epoch of " + members.size() + " members");
    }
    return new EpochLink(
        region,
        epoch,
        members,
        d.list(EpochLink::readMember),
        d.i32(),
        d.string(),
        readWaiver(d),
        d.string());
  }

  @Override
  public String toString() {
    return "epoch " + epoch + " on " + nodes() + " after epoch " + served;
  }
}
