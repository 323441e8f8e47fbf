package org.salus.sim;

import java.util.List;
import java.util.function.Consumer;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;

/**
 * What a run is made of besides its seed.
 *
 * @param requests application requests before the healing phase
 * @param chaos whether crashes and network faults are injected
 * @param members makes members; tests plant bugs here
 * @param sessions makes sessions; tests plant bugs here
 * @param faulty the node whose members are not right, or null
 * @param trace takes a line for each event, or null
 */
public record SimOptions(int requests, boolean chaos, MemberFactory members, SessionFactory sessions, String faulty, Consumer<String> trace) {

  /** Makes the members of an epoch. */
  public interface MemberFactory {
    RegionMember make(VolumeSpec spec, RegionId region, int epoch, List<String> members, int lane, Signer signer, MemberConfig config);
  }

  /** Makes sessions. */
  public interface SessionFactory {
    VolumeSession make(VolumeSpec spec, long mountEpoch, Signer signer, SessionConfig config);
  }

  /** The product's classes under chaos. */
  public static SimOptions standard() {
    return new SimOptions(150, true, RegionMember::new, VolumeSession::new, null, null);
  }

  /** As {@link #standard}, without faults but those that are planned. */
  public static SimOptions calm() {
    return new SimOptions(300, false, RegionMember::new, VolumeSession::new, null, null);
  }

  public SimOptions withTrace(Consumer<String> to) {
    return new SimOptions(requests, chaos, members, sessions, faulty, to);
  }

  public SimOptions withMembers(MemberFactory f) {
    return new SimOptions(requests, chaos, f, sessions, faulty, trace);
  }

  public SimOptions withSessions(SessionFactory f) {
    return new SimOptions(requests, chaos, members, f, faulty, trace);
  }

  /** On this node members are made by {@code f}. */
  public SimOptions withFaulty(String node, MemberFactory f) {
    MemberFactory mixed = (spec, region, epoch, names, place, signer, config) ->
        (names.get(place).equals(node) ? f : members).make(spec, region, epoch, names, place, signer, config);
    return new SimOptions(requests, chaos, mixed, sessions, node, trace);
  }
}
