package org.salus.core.replacement;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.replacement.RrsRecord.Member;
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
 * @param holders the nodes that have everything that was acknowledged before this epoch: the
 *     members of the epoch that served last; those of the first epoch while none has served
 * @param served the epoch that served last before this one; 0 for none
 * @param before the signature of that epoch's link, in hexadecimal digits; empty for none
 * @param signature the master's, over everything else, in hexadecimal digits
 */
public record EpochLink(
    RegionId region,
    int epoch,
    List<Member> members,
    List<String> holders,
    int served,
    String before,
    String signature) {

  /** Copies the lists. Whoever wrote the record in ZooKeeper may have left something out. */
  public EpochLink {
    Objects.requireNonNull(region);
    Objects.requireNonNull(before);
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
      RegionId region, int epoch, List<Member> members, List<String> holders, Signer signer) {
    return new EpochLink(region, epoch, members, holders, 0, "", "").signed(signer);
  }

  /** Signs the link of an epoch that builds on this one, which has served. */
  public EpochLink next(int number, List<Member> newMembers, Signer signer) {
    return new EpochLink(region, number, newMembers, nodes(), epoch, signature, "").signed(signer);
  }

  private EpochLink signed(Signer signer) {
    byte[] by = signer.sign(Signer.masterName(), content());
    return new EpochLink(
        region, epoch, members, holders, served, before, HexFormat.of().formatHex(by));
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

  private ByteBuffer content() {
    Encoder e = new Encoder(512);
    writeContent(e);
    return ByteBuffer.wrap(e.toBytes());
  }

  private void writeContent(Encoder e) {
    e.i64(region.volume())
        .i32(region.index())
        .i32(epoch)
        .list(members, (x, m) -> x.string(m.node()).i64(m.startCode()).string(m.dataNode()))
        .list(holders, Encoder::string)
        .i32(served)
        .string(before);
  }

  public void write(Encoder e) {
    writeContent(e);
    e.string(signature);
  }

  public static EpochLink read(Decoder d) throws MalformedException {
    RegionId region = new RegionId(d.i64(), d.i32());
    int epoch = d.i32();
    List<Member> members = d.list(x -> new Member(x.string(), x.i64(), x.string()));
    if (members.isEmpty() || members.size() > Lanes.COUNT) {
      throw new MalformedException("an epoch of " + members.size() + " members");
    }
    return new EpochLink(
        region, epoch, members, d.list(Decoder::string), d.i32(), d.string(), d.string());
  }

  @Override
  public String toString() {
    return "epoch " + epoch + " on " + nodes() + " after epoch " + served;
  }
}
