package org.salus.benchmarks.peers.ring;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * One server of the ring, without its connections (section 3 of the paper, without its lines 85 to
 * 92). A write goes around twice: first everybody learns what will be written, then that everybody
 * has learnt it. Not thread-safe.
 */
final class RingNode {
  private final int self;
  private final Blocks blocks;
  private final Map<Integer, Register> registers = new HashMap<>();

  /** What clients want written and no other server knows. */
  private final Queue<Wanted> wanted = new ArrayDeque<>();

  /** What came from the server before this one, by where it began. */
  private final List<Queue<RingMessage>> forward;

  /** Of own writes that have been around once. */
  private final Queue<RingMessage> around = new ArrayDeque<>();

  /** How many messages that began there were sent on. */
  private final long[] sent;

  /** Where a server keeps its blocks. */
  interface Blocks {
    byte[] read(int block);

    void write(int block, byte[] content);
  }

  private record Wanted(int block, byte[] content, Runnable written) {}

  /**
   * @param until the write that is to be waited for
   */
  private record Reader(Tag until, Consumer<byte[]> found) {}

  private static final class Register {
    Tag tag = Tag.NONE;

    /** What will be written. */
    final TreeMap<Tag, byte[]> pending = new TreeMap<>();

    /** Of own writes. */
    final Map<Tag, Runnable> clients = new HashMap<>();

    List<Reader> readers = new ArrayList<>();
  }

  /**
   * @param self from 0
   * @param servers in the ring
   */
  RingNode(int self, int servers, Blocks blocks) {
    this.self = self;
    this.blocks = blocks;
    this.forward =
        IntStream.range(0, servers).<Queue<RingMessage>>mapToObj(i -> new ArrayDeque<>()).toList();
    this.sent = new long[servers];
  }

  /**
   * @param written run when all servers have written it
   */
  void write(int block, byte[] content, Runnable written) {
    wanted.add(new Wanted(block, content, written));
  }

  /**
   * Answers at once, or when what will be written is: another server may have answered with that.
   */
  void read(int block, Consumer<byte[]> found) {
    Register r = register(block);
    if (r.pending.isEmpty()) {
      found.accept(blocks.read(block));
    } else {
      r.readers.add(new Reader(r.pending.lastKey(), found));
    }
  }

  /** From the server before this one. */
  void receive(RingMessage m) {
    boolean own = m.tag().server() == self;
    switch (m.kind()) {
      case PRE_WRITE -> {
        if (own) {
          settle(m.block(), m.tag());
          around.add(RingMessage.write(m.block(), m.tag()));
        }
      }
      case WRITE -> {
        if (own) {
          register(m.block()).clients.remove(m.tag()).run();
        } else {
          settle(m.block(), m.tag());
        }
      }
      default -> throw new IllegalArgumentException(m.kind() + " is not for servers");
    }
    if (!own) {
      forward.get(m.tag().server()).add(m);
    }
  }

  private void settle(int block, Tag tag) {
    Register r = register(block);
    byte[] content = r.pending.remove(tag);
    if (tag.compareTo(r.tag) > 0) {
      r.tag = tag;
      blocks.write(block, content);
    }
    List<Reader> waiting = r.readers;
    r.readers = new ArrayList<>();
    for (Reader reader : waiting) {
      if (tag.compareTo(reader.until) >= 0) {
        reader.found.accept(blocks.read(block));
      } else {
        r.readers.add(reader);
      }
    }
  }

  /**
   * What to send to the next server; to be asked whenever there is room. Each server, this one too,
   * has its turn, or a loaded one would let none of the others' writes pass.
   *
   * @return null for nothing
   */
  RingMessage next() {
    if (!around.isEmpty()) {
      return around.remove();
    }
    if (forward.stream().allMatch(Queue::isEmpty)) {
      Arrays.fill(sent, 0);
    }
    int from = -1;
    for (int server = 0; server < sent.length; server++) {
      boolean has = server == self ? !wanted.isEmpty() : !forward.get(server).isEmpty();
      if (has && (from < 0 || sent[server] < sent[from])) {
        from = server;
      }
    }
    if (from < 0) {
      return null;
    }
    sent[from]++;
    RingMessage m = from == self ? begin(wanted.remove()) : forward.get(from).remove();
    if (m.kind() == RingMessage.Kind.PRE_WRITE) {
      register(m.block()).pending.put(m.tag(), m.content());
    }
    return m;
  }

  private RingMessage begin(Wanted w) {
    Register r = register(w.block);
    long highest =
        Math.max(r.tag.timestamp(), r.pending.isEmpty() ? 0 : r.pending.lastKey().timestamp());
    Tag tag = new Tag(highest + 1, self);
    r.clients.put(tag, w.written);
    return RingMessage.preWrite(w.block, tag, w.content);
  }

  private Register register(int block) {
    return registers.computeIfAbsent(block, b -> new Register());
  }
}
