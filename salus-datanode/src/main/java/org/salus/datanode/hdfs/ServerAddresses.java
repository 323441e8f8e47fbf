package org.salus.datanode.hdfs;

/**
 * Where the servers of a cluster on one machine are: all in one network, region server and DataNode
 * of the same number on the same address. Immutable.
 *
 * @param network what all addresses (IPv4) begin with, up to their last number
 */
public record ServerAddresses(String network) {
  /** On loopback addresses, all of which this machine has. */
  public static final ServerAddresses LOOPBACK = new ServerAddresses("127.0.0.");

  private static final int MAIN = 1;
  private static final int FIRST_SERVER = 11;

  /** Of ZooKeeper, the NameNode and the HBase master. */
  public String main() {
    return network + MAIN;
  }

  /** Of region server and DataNode {@code i}, from 0. */
  public String server(int i) {
    return network + (FIRST_SERVER + i);
  }

  /**
   * Where this process looks for ports for an address, which may be one that only other processes
   * can bind.
   */
  public String local(String address) {
    return LOOPBACK.network + address.substring(network.length());
  }
}
