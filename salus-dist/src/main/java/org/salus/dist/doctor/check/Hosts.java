package org.salus.dist.doctor.check;

/** Parts of addresses. */
final class Hosts {
  private Hosts() {}

  /** The host of {@code host:port}. */
  static String of(String address) {
    return address.substring(0, address.lastIndexOf(':'));
  }

  /** Whether a name means the machine on which it is read. */
  static boolean isLoopback(String host) {
    return host.equals("localhost") || host.startsWith("127.");
  }
}
