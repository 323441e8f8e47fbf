package org.salus.dist.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * An address to listen on or to connect to: {@code host:port}, with an IPv6 address in brackets.
 * Immutable.
 */
public record HostPort(String host, int port) {
  private static final Pattern FORM =
      Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]\\s/]+):([0-9]{1,5})");
  private static final int MAX_PORT = 65_535;

  /**
   * Parses an address.
   *
   * @throws IllegalArgumentException when the text is none, with a one-line message
   */
  public static HostPort parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > MAX_PORT) {
      throw new IllegalArgumentException(
          "'" + text + "' is not an address; write HOST:PORT, for example 127.0.0.1:10809");
    }
    return new HostPort(matcher.group(1), Integer.parseInt(matcher.group(2)));
  }

  /**
   * Checks that this process can listen on the address.
   *
   * @param option the option that gave this address
   * @throws IOException when it cannot listen; the message says what to do
   */
  void requireFree(String option) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      InetSocketAddress address = address();
      if (address.isUnresolved()) {
        throw new IOException("unknown host");
      }
      socket.bind(address, 1);
    } catch (IOException failed) {
      throw new IOException(
          "cannot listen on "
              + this
              + " ("
              + failed.getMessage()
              + "); choose another address with "
              + option,
          failed);
    }
  }

  /** The address, resolved now; unresolved when the host is unknown. */
  public InetSocketAddress address() {
    return new InetSocketAddress(
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host, port);
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }

  /** Parses addresses for picocli. */
  static final class Converter implements ITypeConverter<HostPort> {
    @Override
    public HostPort convert(String text) {
      try {
        return parse(text);
      } catch (IllegalArgumentException nonsense) {
        throw new TypeConversionException(nonsense.getMessage());
      }
    }
  }
}
