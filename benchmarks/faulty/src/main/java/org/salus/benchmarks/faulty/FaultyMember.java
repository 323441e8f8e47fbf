package org.salus.benchmarks.faulty;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.salus.benchmarks.faulty.hdfs.Vandal;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.event.ForwardingMember;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.path.FilePath;

/** A member whose effects are bent on their way out, as its faults ask. */
final class FaultyMember extends ForwardingMember {
  private static final int MOST_PERMISSIONS = 4;

  private final String volume;
  private final String directory;
  private final Control control;
  private final Vandal vandal;
  private final Liar liar;

  /** What the NameNode was shown lately. */
  private final List<byte[]> permissions = new ArrayList<>();

  private List<MemberEffect> late = new ArrayList<>();
  private MemberEffect swapped;
  private int sent;

  FaultyMember(
      VolumeSpec spec,
      Seat seat,
      Signer signer,
      MemberConfig config,
      Control control,
      Vandal vandal) {
    super(new RegionMember(spec, seat, signer, config));
    this.volume = spec.name();
    this.directory = FilePath.directory(spec, seat.region().index());
    this.control = control;
    this.vandal = vandal;
    this.liar = new Liar(spec, seat, signer);
  }

  private boolean has(Set<ServerFault> on, ServerFault fault) {
    if (!on.contains(fault)) {
      return false;
    }
    control.did(volume, fault);
    return true;
  }

  @Override
  protected List<MemberEffect> change(List<MemberEffect> effects, long now) {
    Set<ServerFault> on = control.of(volume);
    List<MemberEffect> out = new ArrayList<>();
    for (MemberEffect e : effects) {
      remember(e);
      if (e instanceof Send s) {
        send(s, on, out);
      } else if (e instanceof MemberEffect.ServeGet g && has(on, ServerFault.WRONG_READS)) {
        send(liar.junk(g), on, out);
      } else if (e instanceof MemberEffect.ServeGet g && has(on, ServerFault.STALE_READS)) {
        send(liar.nothing(g), on, out);
      } else if (e instanceof MemberEffect.Append a) {
        append(a, on, out, now);
      } else if (e instanceof MemberEffect.Flush f
          && f.content().locals().length > 0
          && has(on, ServerFault.WRONG_CHECKPOINTS)) {
        out.add(Liar.withoutTheLast(f));
      } else {
        out.add(e);
      }
    }
    return out;
  }

  private void remember(MemberEffect e) {
    if (e instanceof MemberEffect.AtNameNode shown) {
      permissions.add(shown.permission());
      if (permissions.size() > MOST_PERMISSIONS) {
        permissions.remove(0);
      }
    }
  }

  private void append(
      MemberEffect.Append a, Set<ServerFault> on, List<MemberEffect> out, long now) {
    if (has(on, ServerFault.WITHHOLDS)) {
      long length = a.bytes().stream().mapToLong(ByteBuffer::remaining).sum();
      out.addAll(onDurable(a.at().plus(length), now));
    } else if (has(on, ServerFault.WRONG_LOG)) {
      out.add(
          new MemberEffect.Append(
              a.at(), a.bytes().stream().map(Liar::altered).toList(), a.sync()));
    } else {
      out.add(a);
    }
  }

  private void send(Send s, Set<ServerFault> on, List<MemberEffect> out) {
    Message m = s.message();
    boolean agreement =
        m instanceof Message.Chain
            || m instanceof Message.Certified
            || m instanceof Message.Vote
            || m instanceof Message.Commit;
    if (on.isEmpty()) {
      out.add(s);
    } else if (has(on, ServerFault.SILENT) || agreement && has(on, ServerFault.REFUSES)) {
      return;
    } else if (m instanceof Message.PageReply p && has(on, ServerFault.WRONG_HASHES)) {
      out.add(
          new Send(
              s.to(), new Message.PageReply(p.id(), p.lane(), Liar.altered(p.children())), null));
    } else if (m instanceof Message.Chain c && s.payload() != null && has(on, ServerFault.FORGES)) {
      out.add(liar.forged(s, c));
    } else if (m instanceof Message.Chain c
        && s.payload() != null
        && has(on, ServerFault.FALSE_COMMITS)) {
      out.addAll(liar.falseCommits(c));
      out.add(s);
    } else if ((m instanceof Message.Chain || m instanceof Message.Certified)
        && has(on, ServerFault.OUT_OF_ORDER)) {
      swap(s, out);
    } else {
      onTheWay(s, on, out);
    }
  }

  /** Every other one after the next. */
  private void swap(Send s, List<MemberEffect> out) {
    if (swapped == null) {
      swapped = s;
    } else {
      out.add(s);
      out.add(swapped);
      swapped = null;
    }
  }

  private void onTheWay(Send s, Set<ServerFault> on, List<MemberEffect> out) {
    if (has(on, ServerFault.DELAYS)) {
      late.add(s);
    } else if (!(has(on, ServerFault.DROPS) && ++sent % 3 == 0)) {
      out.add(
          s.payload() != null && has(on, ServerFault.ALTERS)
              ? new Send(s.to(), s.message(), Liar.altered(s.payload()))
              : s);
      if (has(on, ServerFault.DUPLICATES)) {
        out.add(s);
      }
    }
  }

  @Override
  public List<MemberEffect> onTick(long now) {
    List<MemberEffect> out = late;
    late = new ArrayList<>();
    out.addAll(super.onTick(now));
    if (swapped != null) {
      out.add(swapped);
      swapped = null;
    }
    if (has(control.of(volume), ServerFault.DELETES)) {
      vandal.attack(directory, List.copyOf(permissions));
    }
    return out;
  }
}
