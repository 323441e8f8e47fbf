package org.salus.host.config;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** ZooKeeper's servers as a user writes them: {@code HOST:PORT[,...]}, with an optional path. */
public final class Quorum {
  private static final Pattern SERVER =
      Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]\\s/,]+):([0-9]{1,5})");
  private static final int MAX_PORT = 65_535;

  private final List<String> hosts = new ArrayList<>();

  /**
   * Parses the servers.
   *
   * @throws IllegalArgumentException when the text is invalid, with a one-line message
   */
  public static Quorum parse(String text) {
    Quorum quorum = new Quorum();
    int path = text.indexOf('/');
    for (String server : (path < 0 ? text : text.substring(0, path)).split(",", -1)) {
      Matcher matcher = SERVER.matcher(server.strip());
      if (!matcher.matches()
          || Integer.parseInt(matcher.group(2)) == 0
          || Integer.parseInt(matcher.group(2)) > MAX_PORT) {
        throw new IllegalArgumentException(
            "'"
                + server
                + "' is not an address of ZooKeeper; write HOST:PORT[,...], for example"
                + " 127.0.0.1:2181");
      }
      quorum.hosts.add(matcher.group(1));
    }
    return quorum;
  }

  /**
   * Checks that at least one server's name is known. Names may be unknown for a while when machines
   * start, so one is enough.
   *
   * @param option the option or setting that named the servers
   * @throws IOException when no name is known
   */
  public void requireKnown(String option) throws IOException {
    for (String host : hosts) {
      try {
        InetAddress.getByName(host);
        return;
      } catch (UnknownHostException unknown) {
        continue;
      }
    }
    throw new IOException("unknown host " + String.join(", ", hosts) + "; check " + option);
  }
}
