package org.salus.regionserver;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Where the DataNode of a server's machine is, as the NameNode names it: by address, not name. */
final class DataNodeAddress {
  /** HDFS' usual data port. */
  private static final int USUAL_PORT = 9866;

  private static final int MOST_PORT = 65_535;

  /** Debian's installer gives this address to a host's own name. */
  private static final String DEBIAN = "127.0.1.1";

  private DataNodeAddress() {}

  /**
   * Returns ip:port.
   *
   * @param configured the setting, as host:port, or an empty text
   * @param host the name or address of the server, whose machine it is if nothing is configured
   * @throws IOException if the setting is no host:port, or the host has no address that others can
   *     use
   */
  static String of(String configured, String host) throws IOException {
    String all = configured.isEmpty() ? host + ":" + USUAL_PORT : configured;
    int colon = all.lastIndexOf(':');
    String port = all.substring(colon + 1);
    if (colon < 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > MOST_PORT) {
      throw new IOException("salus.server.datanode is no host:port: " + all);
    }
    return address(all.substring(0, colon)) + ":" + port;
  }

  private static String address(String name) throws IOException {
    try {
      for (InetAddress address : InetAddress.getAllByName(name)) {
        if (address.getHostAddress().equals(DEBIAN)) {
          throw new IOException(
              name
                  + " is "
                  + DEBIAN
                  + " here, by which no other host reaches it: change that in /etc/hosts, or set"
                  + " salus.server.datanode");
        }
        if (address instanceof Inet4Address) {
          return address.getHostAddress();
        }
      }
      throw new IOException("the DataNode " + name + " has no IPv4 address, and HDFS needs one");
    } catch (UnknownHostException e) {
      throw new IOException(
          "nobody knows the address of the DataNode " + name + ": set salus.server.datanode", e);
    }
  }
}
