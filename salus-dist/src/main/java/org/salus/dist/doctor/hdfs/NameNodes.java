package org.salus.dist.doctor.hdfs;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.NameNodeProxiesClient;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.ipc.CallerContext;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.StandbyException;
import org.apache.hadoop.security.UserGroupInformation;
import org.salus.core.path.VolumePath;
import org.salus.core.recovery.GuardQuestion;
import org.salus.dist.doctor.cluster.NameNode;
import org.salus.dist.doctor.cluster.NameNode.Guard;

/**
 * The NameNodes of an HDFS. Each is asked by itself, the standby too: nothing else would show that
 * a standby has no guard before it becomes active. Thread-safe.
 */
public final class NameNodes {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int RPC_PORT = 8020;
  private static final int HTTP_PORT = 9870;
  private static final String HTTP = "dfs.namenode.http-address";

  /** The state in the words of a NameNode that is not active. */
  private static final Pattern STATE = Pattern.compile("in state (\\w+)");

  /**
   * What HBase's daemons know of HDFS. Of its other settings none is needed to ask NameNodes. Some
   * name classes or files of that daemon's host, such as those about groups of users.
   */
  private static final Pattern NEEDED =
      Pattern.compile(
          "fs\\.defaultFS|hbase\\.rootdir|dfs\\.nameservices|dfs\\.internal\\.nameservices"
              + "|dfs\\.ha\\..*|dfs\\.namenode\\..*|hadoop\\.rpc\\.protection"
              + "|hadoop\\.security\\.(authentication|auth_to_local|token\\.service\\.use_ip)");

  private final Configuration conf;
  private final UserGroupInformation user;
  private final int limitMillis;
  private final List<Address> addresses = new ArrayList<>();

  /**
   * Where a NameNode is.
   *
   * @param node its name, {@code host:port} of its RPC server
   * @param rpc its RPC server
   * @param info {@code host:port} of its info server
   */
  public record Address(String node, InetSocketAddress rpc, String info) {}

  /**
   * Finds the NameNodes of the HDFS in which HBase has its files.
   *
   * @param settings settings of HBase's master, or of clients of HDFS
   * @param limitMillis the longest time for one answer
   * @throws IOException if these name none
   */
  public NameNodes(Map<String, String> settings, int limitMillis) throws IOException {
    this.limitMillis = limitMillis;
    conf = new HdfsConfiguration();
    settings.forEach(
        (key, value) -> {
          if (isNeeded(key)) {
            conf.set(key, value);
          }
        });
    conf.setInt("ipc.client.connect.timeout", limitMillis);
    conf.setInt("ipc.client.rpc-timeout.ms", limitMillis);
    conf.setInt("ipc.client.connect.max.retries", 0);
    conf.setInt("ipc.client.connect.max.retries.on.timeouts", 0);
    conf.setBoolean(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, false);
    UserGroupInformation.setConfiguration(conf);
    user = UserGroupInformation.getCurrentUser();
    find(conf.get("hbase.rootdir", conf.get("fs.defaultFS", "")));
  }

  static boolean isNeeded(String key) {
    return NEEDED.matcher(key).matches();
  }

  private void find(String directory) throws IOException {
    URI uri;
    try {
      uri = URI.create(directory);
    } catch (IllegalArgumentException nonsense) {
      throw new IOException("'" + directory + "' is no directory of HDFS", nonsense);
    }
    if (!"hdfs".equals(uri.getScheme()) || uri.getAuthority() == null) {
      throw new IOException(
          "no setting says where HDFS is: give the hdfs-site.xml and hbase-site.xml of a daemon by"
              + " --conf, or hbase.rootdir by -D");
    }
    Map<String, InetSocketAddress> several =
        DFSUtilClient.getHaNnRpcAddresses(conf).get(uri.getAuthority());
    if (several != null) {
      several.forEach((id, rpc) -> add(rpc, HTTP + "." + uri.getAuthority() + "." + id));
    } else if (uri.getHost() == null || isService(uri.getAuthority())) {
      throw new IOException(
          "no setting says which NameNodes "
              + uri.getAuthority()
              + " has: give the hdfs-site.xml of a NameNode by --conf");
    } else {
      add(new InetSocketAddress(uri.getHost(), uri.getPort() < 0 ? RPC_PORT : uri.getPort()), HTTP);
    }
  }

  /** The name is the given one. An address that is in use may learn another one. */
  private void add(InetSocketAddress rpc, String key) {
    String host = rpc.getHostString();
    addresses.add(new Address(host + ":" + rpc.getPort(), rpc, info(host, key)));
  }

  private boolean isService(String authority) {
    return conf.getTrimmedStringCollection("dfs.nameservices").contains(authority);
  }

  /** Its info server, which is on the same host unless the setting names another one. */
  private String info(String host, String key) {
    String http = conf.getTrimmed(key, conf.getTrimmed(HTTP, ""));
    int colon = http.lastIndexOf(':');
    String port = colon < 0 ? Integer.toString(HTTP_PORT) : http.substring(colon + 1);
    boolean isAnywhere = colon <= 0 || http.startsWith("0.0.0.0:");
    return (isAnywhere ? host : http.substring(0, colon)) + ":" + port;
  }

  /** Where they are. */
  public List<Address> addresses() {
    return List.copyOf(addresses);
  }

  /** Asks one. Blocks for some seconds at most. */
  public NameNode ask(Address address) {
    ClientProtocol nameNode = null;
    try {
      nameNode =
          NameNodeProxiesClient.createNonHAProxyWithClientProtocol(
              address.rpc(), conf, user, false, new AtomicBoolean());
      return ask(address.node(), nameNode);
    } catch (IOException failed) {
      return new NameNode(address.node(), "", Guard.UNKNOWN, words(failed), null);
    } finally {
      if (nameNode != null) {
        RPC.stopProxy(nameNode);
      }
    }
  }

  private static NameNode ask(String node, ClientProtocol nameNode) throws IOException {
    GuardQuestion question = new GuardQuestion(RANDOM.nextLong());
    CallerContext before = CallerContext.getCurrent();
    CallerContext.setCurrent(
        new CallerContext.Builder("salus").setSignature(question.encode()).build());
    Guard guard;
    String state = "active";
    try {
      nameNode.getFileInfo("/"); // every user may
      guard = Guard.ABSENT;
    } catch (RemoteException said) {
      if (question.isAnsweredBy(said.getMessage())) {
        guard = Guard.PRESENT;
      } else if (said.getClassName().equals(StandbyException.class.getName())) {
        guard = guardOfStandby(said.getMessage());
        state = state(said.getMessage());
      } else {
        throw said;
      }
    } finally {
      CallerContext.setCurrent(before);
    }
    return state.equals("active")
        ? new NameNode(node, state, guard, "", directory(nameNode))
        : new NameNode(node, state, guard, "", null);
  }

  /**
   * A guarded NameNode asks for more than a look before it answers: see {@code
   * GuardedPaths.answer}. So it refuses to change anything, and another one refuses to look.
   */
  static Guard guardOfStandby(String words) {
    if (words == null) {
      return Guard.UNKNOWN;
    }
    return words.contains("category WRITE")
        ? Guard.PRESENT
        : words.contains("category READ") ? Guard.ABSENT : Guard.UNKNOWN;
  }

  private static String state(String words) {
    Matcher state = STATE.matcher(String.valueOf(words));
    return state.find() ? state.group(1) : "standby";
  }

  private static NameNode.Directory directory(ClientProtocol nameNode) throws IOException {
    HdfsFileStatus status = nameNode.getFileInfo(VolumePath.ROOT);
    return status == null
        ? null
        : new NameNode.Directory(
            status.getOwner(),
            String.format("%04o", status.getPermission().toShort()),
            status.hasAcl());
  }

  /** Hadoop's own words name every address and a page of a wiki. */
  private String words(IOException failed) {
    if (failed instanceof SocketTimeoutException) {
      return "no answer within " + limitMillis / 1000 + " s";
    } else if (failed instanceof ConnectException) {
      return "connection refused";
    } else if (failed instanceof UnknownHostException) {
      return "its name is not known here";
    }
    return String.valueOf(failed.getMessage()).lines().findFirst().orElse(failed.toString());
  }
}
