package org.salus.dist.install;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.salus.dist.data.SettingsFile;
import org.salus.host.ServerPorts;
import org.salus.host.config.ClusterSettings;
import org.salus.host.config.ServerSettings;

/** What an operator has to know or to do besides, because no file can say it for all hosts. */
final class Advice {
  private static final String ALL_ADDRESSES = "0.0.0.0";
  private static final String DATA_PORT = "dfs.datanode.address";
  private static final String USUAL_DATA_PORT = "9866";
  private static final String DATA_NODE = "salus.server.datanode";

  private Advice() {}

  /** Sentences for whoever has just put Salus into these places. */
  static List<String> of(List<Home> homes) throws IOException {
    List<String> all = new ArrayList<>();
    for (Home home : homes) {
      Map<String, String> settings = SettingsFile.read(home.site());
      if (settings.getOrDefault(ClusterSettings.SECRET.key(), "").isEmpty()) {
        all.add(
            home.site()
                + " has no "
                + ClusterSettings.SECRET.key()
                + ", so whoever reaches the servers can sign as anybody: put the same 32 random"
                + " characters into the files of all hosts, and let only the daemons' users read"
                + " them");
      }
      if (home.product() == Product.HADOOP) {
        dataPort(home, settings, all);
      } else {
        serverPort(home, settings, all);
      }
    }
    return all;
  }

  private static void dataPort(Home home, Map<String, String> settings, List<String> all) {
    String address = settings.getOrDefault(DATA_PORT, "");
    String port = address.substring(address.lastIndexOf(':') + 1);
    if (!port.isEmpty() && !port.equals(USUAL_DATA_PORT)) {
      all.add(
          home.site()
              + " has "
              + DATA_PORT
              + " = "
              + address
              + ": on each host, "
              + DATA_NODE
              + " in hbase-site.xml must be its DataNode's IP:"
              + port);
    }
  }

  private static void serverPort(Home home, Map<String, String> settings, List<String> all) {
    String key = ServerSettings.PORT.key();
    String port = settings.getOrDefault(key, ServerSettings.PORT.fallback());
    if (port.matches("[1-9][0-9]{0,4}")
        && !ServerPorts.isFree(ALL_ADDRESSES, Integer.parseInt(port))) {
      all.add(
          "somebody on this host listens at port "
              + port
              + "; if that is not a region server with Salus, set "
              + key
              + " in "
              + home.site()
              + " to another one");
    }
  }
}
