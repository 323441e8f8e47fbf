package org.salus.sim.scale;

/**
 * Clients that write blocks of 4 KiB as fast as they can, each to a store of its own.
 *
 * @param servers number of servers, at least three, each with a region server and a DataNode
 * @param clients number of clients, which work at the same time
 * @param regions regions of each store, spread evenly over the servers
 * @param batch blocks that a client of HBase sends together
 * @param outstanding outstanding blocks of each client
 * @param blocks number of blocks that each client writes
 * @param random whether each client writes its blocks in random order, each block once
 * @param files whether everything is also written to files, as both systems do in the background
 * @param hardware the capacity of each machine
 * @param oneMachine whether all servers and clients share one machine; otherwise each has its own
 */
public record ScaleScenario(
    int servers,
    int clients,
    int regions,
    int batch,
    int outstanding,
    int blocks,
    boolean random,
    boolean files,
    Hardware hardware,
    boolean oneMachine) {
  /** Bytes of a block. */
  static final int BLOCK = 4 << 10;

  static final int REPLICAS = 3;

  public ScaleScenario {
    if (servers < REPLICAS || outstanding < 1 || blocks < outstanding || batch > outstanding) {
      throw new IllegalArgumentException(
          "no such scenario: "
              + servers
              + " servers, "
              + blocks
              + " blocks, "
              + outstanding
              + " outstanding in batches of "
              + batch);
    }
  }

  /**
   * The server with the replica at this place of a client's region. Clients that are at the same
   * region number use different servers. With as many clients as servers, each server has equally
   * many replicas of each place.
   */
  int server(int client, int region, int place) {
    return (client + region + place * (1 + region % Math.max(1, servers / REPLICAS))) % servers;
  }
}
