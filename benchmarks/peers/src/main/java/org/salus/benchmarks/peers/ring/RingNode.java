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
 * 92). A write goes around twice. First every server learns what will be written; then it learns
 * that all know. Not thread-safe.
 */
final class RingNode {
  private final int self;
  private final Blocks blocks;
  private final Map<Integer, Register> registers = new HashMap<>();

  /** The writes of clients that no other server knows yet. */
  private final Queue<Wanted> wanted = new ArrayDeque<>();

  /** The messages from the predecessor, by the server where they began. */
  private final List<Queue<RingMessage>> forward;

  /** This server's writes that have been around once. */
  private final Queue<RingMessage> around = new ArrayDeque<>();

  /** The number of messages sent on, by the server where they began. */
  private final long[] sent;

  /** The storage of a server's blocks. */
  interface Blocks {
    byte[] read(int block);

    void write(int block, byte[] content);
  }

  private record Wanted(int block, byte[] content, Runnable written) {}

  /**
   * @param until the tag of the write to wait for
   */
  private record Reader(Tag until, Consumer<byte[]> found) {}

  private static final class Register {
    Tag tag = Tag.NONE;

    /** The contents that will be written, by tag. */
    final TreeMap<Tag, byte[]> pending = new TreeMap<>();

    /** The completions of this server's writes, by tag. */
    final Map<Tag, Runnable> clients = new HashMap<>();

    List<Reader> readers = new ArrayList<>();
  }

  /**
   * @param self the number of this server, from 0
   * @param servers number of servers in the ring
   */
  RingNode(int self, int servers, Blocks blocks) {
    this.self = self;
    this.blocks = blocks;
    this.forward =
        IntStream.range(0, servers).<Queue<RingMessage>>mapToObj(i -> new ArrayDeque<>()).toList();
    this.sent = new long[servers];
  }

  /**
   * @param written runs when all servers have written the content
   */
  void write(int block, byte[] content, Runnable written) {
    wanted.add(new Wanted(block, content, written));
  }

  /**
   * Answers at once if no write is pending. Otherwise it answers once the newest pending write is
   * done, because another server may have answered with that.
   */
  void read(int block, Consumer<byte[]> found) {
    Register r = register(block);
    if (r.pending.isEmpty()) {
      found.accept(blocks.read(block));
    } else {
      r.readers.add(new Reader(r.pending.lastKey(), found));
    }
  }

  /** Handles a message from the predecessor. */
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
   * The next message for the successor; ask whenever there is room. All servers' messages take
   * turns, this one's too. Otherwise a loaded server would let no other server's writes pass.
   *
   * @return null if there is nothing to send
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
