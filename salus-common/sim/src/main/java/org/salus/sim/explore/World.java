package org.salus.sim.explore;

import java.util.Arrays;
import org.salus.sim.explore.automaton.Catalog;

/**
 * One state of a small cluster: numbers of the {@link Catalog} and small counts. Arrays are never
 * changed in place, so worlds share what they have in common.
 */
final class World implements Cloneable {
  static final int NONE = -1;

  /**
   * The number of actors of a region: three places in the chain, and one that was replaced and does
   * not know it.
   */
  static final int SEATS = 4;

  static final int UNAWARE = 3;

  /** The most sessions. */
  static final int SESSIONS = 5;

  /** The count of numbers that describe a flight: from, to, parcel. */
  static final int FLIGHT = 3;

  /** A bit in a flight's {@code from}: the flight was delayed or doubled, and no order binds it. */
  static final int STRAY = 64;

  final int regions;
  final int nodes;

  /** The state of each actor: members by region and seat, then sessions by mount. */
  int[] actors;

  /** The node of each member. */
  int[] homes;

  /**
   * The place, the number of members of the epoch, and the epoch of each member; see {@link #seat}.
   */
  int[] seats;

  /** The appends of each member that are on their way to its DataNode, in order. */
  int[][] appends;

  /** The other effects of each member that are under way, in any order. */
  int[][] ops;

  /** The messages on their way. Those of one connection stand in order. */
  int[] flights = {};

  /** The content of the DataNode's disk for each region and node. */
  int[] disks;

  /**
   * Three epochs of each region: the one that servers follow, the one that serves or 0, and the one
   * that fenced the replicas last.
   */
  int[] epoch;

  int[] serving;
  int[] fenced;

  /**
   * Of each region, the record in ZooKeeper or {@link #NONE}, the link of the epoch that servers
   * follow, and what the NameNode knows of the epochs.
   */
  int[] records;

  int[] links;
  int[] registers;

  /** The state of the keepers of all regions. */
  int keepers;

  /** The segments of each region that the NameNode knows, as a set. */
  int[] files;

  int[] checks;

  /** The set of nodes whose servers run. */
  int up;

  /** The set of nodes whose DataNodes run. */
  int stores;

  /** The set of nodes whose DataNodes come back in the end. */
  int away;

  /** How often the server of each node has started again. */
  int[] starts;

  int faults;
  int mounts;

  /** The number of power cuts so far. */
  int cuts;

  World(int regions, int nodes, int emptyDisk) {
    this.regions = regions;
    this.nodes = nodes;
    int members = regions * SEATS;
    actors = filled(members + SESSIONS, NONE);
    homes = filled(members, NONE);
    seats = new int[members];
    appends = new int[members][0];
    ops = new int[members][0];
    disks = filled(regions * nodes, emptyDisk);
    epoch = new int[regions];
    serving = new int[regions];
    fenced = new int[regions];
    records = filled(regions, NONE);
    links = filled(regions, NONE);
    registers = filled(regions, NONE);
    starts = new int[nodes];
    files = new int[regions];
    up = (1 << nodes) - 1;
    stores = up;
  }

  private static int[] filled(int n, int value) {
    int[] a = new int[n];
    Arrays.fill(a, value);
    return a;
  }

  World copy() {
    try {
      return (World) clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("worlds are cloneable", e);
    }
  }

  // ---- arrays are values ----

  static int[] with(int[] a, int i, int value) {
    int[] b = a.clone();
    b[i] = value;
    return b;
  }

  static int[][] with(int[][] a, int i, int[] value) {
    int[][] b = a.clone();
    b[i] = value;
    return b;
  }

  static int[] plus(int[] a, int value) {
    int[] b = Arrays.copyOf(a, a.length + 1);
    b[a.length] = value;
    return b;
  }

  static int[] minus(int[] a, int from, int count) {
    int[] b = new int[a.length - count];
    System.arraycopy(a, 0, b, 0, from);
    System.arraycopy(a, from + count, b, from, b.length - from);
    return b;
  }

  // ---- who is who ----

  int actor(int region, int seat) {
    return region * SEATS + seat;
  }

  int session(long mount) {
    return regions * SEATS + (int) mount - 1;
  }

  boolean isSession(int actor) {
    return actor >= regions * SEATS;
  }

  long mount(int session) {
    return session - (long) regions * SEATS + 1;
  }

  /** The master's number among the senders. */
  int master() {
    return actors.length;
  }

  static int seat(int place, int members, int epochOf) {
    return place | members << 2 | epochOf << 4;
  }

  int place(int member) {
    return seats[member] & 3;
  }

  int size(int member) {
    return seats[member] >> 2 & 3;
  }

  int epochOf(int member) {
    return seats[member] >> 4;
  }

  boolean isAlive(int actor) {
    return actors[actor] != NONE;
  }

  boolean isUp(int node) {
    return (up >> node & 1) != 0;
  }

  /** Whether a node's DataNode runs. */
  boolean hasStore(int node) {
    return (stores >> node & 1) != 0;
  }

  /** The number of members of a region's newest epoch. Their seats begin at 0. */
  int members(int region) {
    int n = 0;
    while (n < UNAWARE && homes[actor(region, n)] != NONE) {
      n++;
    }
    return n;
  }

  int disk(int region, int node) {
    return disks[region * nodes + node];
  }

  void setDisk(int region, int node, int disk) {
    disks = with(disks, region * nodes + node, disk);
  }

  // ---- as bytes ----

  private int[][] parts() {
    return new int[][] {
      actors,
      homes,
      seats,
      flights,
      disks,
      epoch,
      serving,
      fenced,
      records,
      links,
      registers,
      starts,
      files,
      checks,
      {up, stores, away, keepers, faults, mounts, cuts}
    };
  }

  /** The world in few bytes. Equal worlds give equal bytes. */
  byte[] pack() {
    Packer p = new Packer();
    for (int[] part : parts()) {
      p.put(part);
    }
    for (int i = 0; i < appends.length; i++) {
      p.put(appends[i]);
      p.put(ops[i]);
    }
    return Arrays.copyOf(p.bytes, p.at);
  }

  /** The world that {@link #pack} turned into these bytes. This world gives only the shape. */
  World unpack(byte[] packed) {
    World w = copy();
    Packer p = new Packer(packed);
    w.actors = p.take();
    w.homes = p.take();
    w.seats = p.take();
    w.flights = p.take();
    w.disks = p.take();
    w.epoch = p.take();
    w.serving = p.take();
    w.fenced = p.take();
    w.records = p.take();
    w.links = p.take();
    w.registers = p.take();
    w.starts = p.take();
    w.files = p.take();
    w.checks = p.take();
    int[] counts = p.take();
    w.up = counts[0];
    w.stores = counts[1];
    w.away = counts[2];
    w.keepers = counts[3];
    w.faults = counts[4];
    w.mounts = counts[5];
    w.cuts = counts[6];
    w.appends = new int[appends.length][];
    w.ops = new int[ops.length][];
    for (int i = 0; i < appends.length; i++) {
      w.appends[i] = p.take();
      w.ops[i] = p.take();
    }
    return w;
  }

  /** Writes numbers of at least -1 in as many bytes as they need. */
  private static final class Packer {
    private static final int[] NOTHING = {};
    private byte[] bytes;
    private int at;

    Packer() {
      bytes = new byte[512];
    }

    Packer(byte[] packed) {
      bytes = packed;
    }

    void put(int[] xs) {
      if (bytes.length < at + 5 * (xs.length + 1)) {
        bytes = Arrays.copyOf(bytes, 2 * bytes.length + 5 * xs.length);
      }
      put(xs.length);
      for (int x : xs) {
        put(x);
      }
    }

    private void put(int number) {
      int x = number + 1;
      while ((x & ~0x7f) != 0) {
        bytes[at++] = (byte) (x | 0x80);
        x >>>= 7;
      }
      bytes[at++] = (byte) x;
    }

    int[] take() {
      int n = takeOne();
      int[] xs = n == 0 ? NOTHING : new int[n];
      for (int i = 0; i < n; i++) {
        xs[i] = takeOne();
      }
      return xs;
    }

    private int takeOne() {
      int x = 0;
      for (int shift = 0; ; shift += 7) {
        byte b = bytes[at++];
        x |= (b & 0x7f) << shift;
        if (b >= 0) {
          return x - 1;
        }
      }
    }
  }
}
