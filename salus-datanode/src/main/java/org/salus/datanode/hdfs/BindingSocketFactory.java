package org.salus.datanode.hdfs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Objects;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.StandardSocketFactory;

/**
 * Sockets bound to one loopback address, so that the NameNode tells the DataNodes of one machine
 * apart by address.
 */
public final class BindingSocketFactory extends StandardSocketFactory implements Configurable {
  static final String ADDRESS_KEY = "salus.embedded.source.address";

  private Configuration conf;
  private String address;

  @Override
  public Socket createSocket() throws IOException {
    Socket socket = super.createSocket();
    if (address != null) {
      socket.bind(new InetSocketAddress(address, 0));
    }
    return socket;
  }

  @Override
  public void setConf(Configuration conf) {
    this.conf = conf;
    this.address = conf.get(ADDRESS_KEY);
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  /** Compares the addresses, because Hadoop shares connections between equal factories. */
  @Override
  public boolean equals(Object other) {
    return other instanceof BindingSocketFactory factory
        && Objects.equals(address, factory.address);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(address);
  }
}
