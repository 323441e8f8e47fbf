package org.salus.datanode.hdfs;

/**
 * The addresses of a cluster's servers on one machine. All are in one network. A region server and
 * the DataNode of the same number share an address. Immutable.
 *
 * @param network the beginning of all addresses (IPv4), up to their last number
 */
public record ServerAddresses(String network) {
  /** Loopback addresses, all of which this machine has. */
  public static final ServerAddresses LOOPBACK = new ServerAddresses("127.0.0.");

  private static final int MAIN = 1;
  private static final int FIRST_SERVER = 11;

  /** The address of ZooKeeper, the NameNode and the HBase master. */
  public String main() {
    return network + MAIN;
  }

  /** The address of region server and DataNode {@code i}, from 0. */
  public String server(int i) {
    return network + (FIRST_SERVER + i);
  }

  /**
   * Returns the address on which this process looks for free ports, because only other processes
   * may be able to bind {@code address}.
   */
  public String local(String address) {
    return LOOPBACK.network + address.substring(network.length());
  }
}
