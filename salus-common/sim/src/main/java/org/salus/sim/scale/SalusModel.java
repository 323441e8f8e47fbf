package org.salus.sim.scale;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.message.MessageCodec;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.SessionRules;
import org.salus.core.session.VolumeSession;
import org.salus.sim.scale.SerialProcess.Step;

/**
 * Salus: every client has a session and every region three members. They are the classes that run
 * in production.
 */
final class SalusModel extends Model {
  private static final long MOUNT = 1;
  private static final int EPOCH = 1;
  private static final List<String> NAMES = List.of("m0:1", "m1:1", "m2:1");
  private static final int SEGMENT = 64 << 20;

  /**
   * The settings of members. Nothing gets lost. The core flushes nothing, because the model keeps
   * no data: see {@link ScaleScenario#files}.
   */
  private static final MemberConfig CONFIG = new MemberConfig(Long.MAX_VALUE, 1 << 20);

  /** The least number of stripes of each region that random writes go to. */
  private static final int STRIPES = 4;

  private static final int STRIPE_BLOCKS = 128;

  private final Signer signer =
      new Signer("the secret of a cluster".getBytes(StandardCharsets.UTF_8));
  private final SameBlocks bytes = new SameBlocks();
  private final List<Client> clients = new ArrayList<>();
  private int mounted;

  SalusModel(ScaleScenario scenario, Costs costs) {
    super(scenario, costs);
  }

  @Override
  void begin() {
    for (int i = 0; i < scenario.clients(); i++) {
      clients.add(new Client(i));
    }
    clients.forEach(Client::start);
  }

  /** Begins the measurement once all volumes are mounted. */
  private void mounted() {
    if (++mounted == clients.size()) {
      begun();
      clients.forEach(Client::fill);
    }
  }

  /** A state machine of the core in a process. */
  private abstract static class Host<E> {
    final Endpoint self;
    final Machine machine;
    private final SerialProcess process;

    Host(Endpoint self, Machine machine) {
      this.self = self;
      this.machine = machine;
      this.process = new SerialProcess(machine);
    }

    abstract void perform(E effect);

    abstract long nanos(long calls, long blocks);

    abstract Host<?> at(Endpoint.Member to);

    abstract Host<?> session();

    abstract List<E> onMessage(Endpoint from, Message m, ByteBuffer payload);

    /**
     * Gives the core an event that counts as this many calls and blocks. What the core then sends
     * and appends counts as calls too.
     */
    final void event(long calls, long blocks, Supplier<List<E>> what) {
      process.add(
          () -> {
            List<E> effects = what.get();
            long made = 0;
            for (E e : effects) {
              made += e instanceof Send || e instanceof MemberEffect.Append ? 1 : 0;
            }
            return new Step(nanos(calls + made, blocks), () -> effects.forEach(this::perform));
          });
    }

    final void send(Send x) {
      Host<?> to = x.to() instanceof Endpoint.Member member ? at(member) : session();
      ByteBuffer payload = x.payload() == null ? null : x.payload().duplicate();
      long bytes = payload == null ? 0 : payload.remaining();
      machine.send(
          to.machine,
          MessageCodec.encode(x.message()).length + bytes,
          () -> to.receive(self, x.message(), payload, bytes / ScaleScenario.BLOCK));
    }

    private void receive(Endpoint from, Message m, ByteBuffer payload, long blocks) {
      event(1, blocks, () -> onMessage(from, m, payload));
    }
  }

  /** A client with its volume. */
  private final class Client extends Host<SessionEffect> {
    private final VolumeSpec spec;
    private final VolumeSession session;
    private final Member[][] members;
    private final int[] order;
    private final long stride;
    private int issued;

    private final SessionEffect.Handler effects =
        new UntroubledSession() {
          @Override
          public void send(Send effect) {
            Client.this.send(effect);
          }

          @Override
          public void done(SessionEffect.Done effect) {
            SalusModel.this.done(1);
            if (issued < order.length) {
              write();
            }
          }

          @Override
          public void mounted(SessionEffect.Mounted effect) {
            SalusModel.this.mounted();
          }
        };

    Client(int number) {
      super(new Endpoint.Session(number, MOUNT), clientMachine(number));
      order = order(number);
      long least = (long) scenario.regions() * STRIPES * STRIPE_BLOCKS;
      stride = scenario.random() ? Math.max(1, (least + order.length - 1) / order.length) : 1;
      spec =
          new VolumeSpec(
              "volume" + number,
              number,
              ScaleScenario.BLOCK,
              order.length * stride,
              scenario.regions(),
              false,
              SEGMENT);
      session =
          new VolumeSession(
              spec, MOUNT, signer, SessionConfig.defaults(), bytes, SessionRules.PAPER);
      members = new Member[scenario.regions()][ScaleScenario.REPLICAS];
      for (int r = 0; r < members.length; r++) {
        for (int place = 0; place < ScaleScenario.REPLICAS; place++) {
          members[r][place] = new Member(this, r, place, scenario.server(number, r, place));
        }
      }
    }

    void start() {
      for (Member[] region : members) {
        for (Member m : region) {
          m.event(0, 0, () -> m.core.start(clock.now()));
        }
      }
    }

    void fill() {
      while (issued < scenario.outstanding()) {
        write();
      }
    }

    private void write() {
      long block = order[issued++] * stride;
      long id = issued;
      event(0, 1, () -> session.write(id, block, bytes.block(), false, clock.now()));
    }

    @Override
    void perform(SessionEffect effect) {
      effect.performBy(effects);
    }

    @Override
    long nanos(long calls, long blocks) {
      return client.nanos(costs.client(), calls, blocks);
    }

    @Override
    Host<?> at(Endpoint.Member to) {
      return members[to.region().index()][to.lane()];
    }

    @Override
    Host<?> session() {
      return this;
    }

    @Override
    List<SessionEffect> onMessage(Endpoint from, Message m, ByteBuffer payload) {
      return session.onMessage(from, m, payload, clock.now());
    }
  }

  /** A member of one of its regions. */
  private final class Member extends Host<MemberEffect> {
    private final Client of;
    private final int region;
    private final int at;
    private final RegionMember core;
    private final MemberEffect.Handler effects;

    Member(Client of, int region, int place, int at) {
      super(new Endpoint.Member(of.spec.regionId(region), place), serverMachine(at));
      this.of = of;
      this.region = region;
      this.at = at;
      this.core =
          new RegionMember(
              of.spec, new Seat(of.spec.regionId(region), EPOCH, NAMES, place), signer, CONFIG);
      this.effects = new Effects(core);
    }

    private final class Effects extends FirstOpening {
      Effects(RegionMember core) {
        super(core);
      }

      @Override
      protected void event(Supplier<List<MemberEffect>> what) {
        Member.this.event(0, 0, what);
      }

      @Override
      protected long now() {
        return clock.now();
      }

      @Override
      public void send(Send effect) {
        Member.this.send(effect);
      }

      @Override
      public void append(MemberEffect.Append effect) {
        Member.this.append(effect);
      }

      @Override
      public void serving(MemberEffect.Serving effect) {
        of.event(
            0,
            0,
            () -> of.session.onRrs(region, effect.epoch(), ScaleScenario.REPLICAS, clock.now()));
      }

      @Override
      public void serveGet(MemberEffect.ServeGet effect) {
        throw unexpected(effect); // the model only writes
      }
    }

    @Override
    void perform(MemberEffect effect) {
      effect.performBy(effects);
    }

    private void append(MemberEffect.Append x) {
      long bytes = x.bytes().stream().mapToLong(ByteBuffer::remaining).sum();
      long blocks = bytes / ScaleScenario.BLOCK;
      SalusModel.this.append(
          at,
          bytes,
          blocks,
          () -> event(1, 0, () -> core.onDurable(x.at().plus(bytes), clock.now())));
      if (scenario.files()) {
        machine.compute(
            nanos(0, blocks), () -> SalusModel.this.append(at, bytes, blocks, () -> {}));
      }
    }

    @Override
    long nanos(long calls, long blocks) {
      return server.nanos(costs.server(), calls, blocks);
    }

    @Override
    Host<?> at(Endpoint.Member to) {
      return of.at(to);
    }

    @Override
    Host<?> session() {
      return of;
    }

    @Override
    List<MemberEffect> onMessage(Endpoint from, Message m, ByteBuffer payload) {
      return core.onMessage(from, m, payload, clock.now());
    }
  }
}
