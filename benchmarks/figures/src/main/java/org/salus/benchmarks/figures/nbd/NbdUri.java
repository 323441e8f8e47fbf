package org.salus.benchmarks.figures.nbd;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.salus.nbd.Nbd;

/**
 * The address of an NBD export: {@code nbd://HOST[:PORT]/NAME} or {@code
 * nbd+unix:///NAME?socket=PATH}.
 */
public record NbdUri(String text, SocketAddress address, String export) {
  private static final int DEFAULT_PORT = 10_809;
  private static final int GREETING = 18;
  private static final int SIZE_AND_FLAGS = 10;

  /** Parses an address. Throws IllegalArgumentException with a one-line message. */
  public static NbdUri parse(String text) {
    try {
      URI uri = new URI(text);
      String export = uri.getPath() == null ? "" : uri.getPath().replaceFirst("^/", "");
      if ("nbd".equals(uri.getScheme()) && uri.getHost() != null) {
        String host = uri.getHost().replaceAll("[\\[\\]]", "");
        return new NbdUri(
            text,
            new InetSocketAddress(host, uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort()),
            export);
      }
      if ("nbd+unix".equals(uri.getScheme())
          && uri.getQuery() != null
          && uri.getQuery().startsWith("socket=")) {
        return new NbdUri(
            text, UnixDomainSocketAddress.of(uri.getQuery().substring("socket=".length())), export);
      }
    } catch (java.net.URISyntaxException | IllegalArgumentException nonsense) {
      throw new IllegalArgumentException(refusal(text), nonsense);
    }
    throw new IllegalArgumentException(refusal(text));
  }

  private static String refusal(String text) {
    return "'"
        + text
        + "' is no NBD export; write nbd://HOST:PORT/NAME or nbd+unix:///NAME?socket=PATH";
  }

  /**
   * Asks the server for the export's size in bytes.
   *
   * @throws IOException when nobody listens there or there is no such export; the message says what
   *     to do
   */
  public long size() throws IOException {
    try (SocketChannel channel = open()) {
      ByteBuffer greeting = receive(channel, GREETING);
      if (greeting.getLong() != Nbd.NBDMAGIC || greeting.getLong() != Nbd.IHAVEOPT) {
        throw new IOException("there is no NBD server at " + text);
      }
      byte[] name = export.getBytes(StandardCharsets.UTF_8);
      channel.write(
          ByteBuffer.allocate(20 + name.length)
              .putInt(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES)
              .putLong(Nbd.IHAVEOPT)
              .putInt(Nbd.OPT_EXPORT_NAME)
              .putInt(name.length)
              .put(name)
              .flip());
      return receive(channel, SIZE_AND_FLAGS).getLong();
    } catch (EOFException refused) {
      throw new IOException("the server at " + text + " has no export '" + export + "'", refused);
    }
  }

  private SocketChannel open() throws IOException {
    boolean unix = address instanceof UnixDomainSocketAddress;
    SocketChannel channel =
        unix ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
    try {
      channel.connect(address);
      return channel;
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw new IOException(
          "cannot connect to " + text + " (" + failed.getMessage() + "); is it served?", failed);
    }
  }

  private static ByteBuffer receive(SocketChannel channel, int bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        throw new EOFException();
      }
    }
    return buffer.flip();
  }

  @Override
  public String toString() {
    return text;
  }
}
