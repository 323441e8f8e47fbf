package org.salus.sim.explore;

import java.util.Arrays;

/**
 * One state of a small cluster: numbers of the {@link Catalog} and small counts. Arrays are never changed in place, so
 * that worlds share what they have in common.
 */
final class World implements Cloneable {
  static final int NONE = -1;
  /** Actors of a region: three places in the chain, and one that was replaced and does not know it. */
  static final int SEATS = 4;
  static final int UNAWARE = 3;
  /** Sessions at most. */
  static final int SESSIONS = 5;
  /** A flight takes so many numbers: from, to, parcel. */
  static final int FLIGHT = 3;
  /** Set in a flight's {@code from}: it was delayed or doubled, and is bound to no order. */
  static final int STRAY = 64;

  final int regions;
  final int nodes;
  /** The state of each actor: members by region and seat, then sessions by mount. */
  int[] actors;
  /** Of each member: its node. */
  int[] homes;
  /** Of each member: place, members of its epoch, epoch; see {@link #seat}. */
  int[] seats;
  /** Of each member: appends on their way to its DataNode, in order. */
  int[][] appends;
  /** Of each member: other effects on their way, in any order. */
  int[][] ops;
  /** Messages on their way, those of one connection in order. */
  int[] flights = {};
  /** Of each region and node: what its DataNode holds. */
  int[] disks;
  /** Of each region: the newest epoch, the one that serves or 0, the one that fenced the replicas last. */
  int[] epoch;
  int[] serving;
  int[] fenced;
  /** Of each region: who has its data, as a set of nodes. */
  int[] holders;
  /** Of each region: the segments that the NameNode knows, as a set. */
  int[] files;
  int[] checks;
  /** The nodes that run, as a set. */
  int up;
  int faults;
  int mounts;

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
    holders = new int[regions];
    files = new int[regions];
    up = (1 << nodes) - 1;
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
    return session - regions * SEATS + 1;
  }

  /** The master's number among senders. */
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

  /** Members of the newest epoch of a region: they sit at 0, 1, 2. */
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

  /** Everything in it as 128 bits. */
  Digest.Print print() {
    Hash h = new Hash();
    for (int[] part : new int[][] {actors, homes, seats, flights, disks, epoch, serving, fenced, holders, files, checks}) {
      h.add(part);
    }
    for (int i = 0; i < appends.length; i++) {
      h.add(appends[i]);
      h.add(ops[i]);
    }
    h.add(up | faults << 16 | mounts << 24);
    return new Digest.Print(h.a, h.b);
  }

  private static final class Hash {
    private long a = 1;
    private long b = 2;

    void add(int[] xs) {
      add(xs.length);
      for (int x : xs) {
        add(x);
      }
    }

    void add(int x) {
      a = Digest.mix(a + (x + 1L) * 0x9e3779b97f4a7c15L);
      b = (Long.rotateLeft(b, 29) ^ x) * 0xbf58476d1ce4e5b9L;
    }
  }
}
